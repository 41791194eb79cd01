// Rows of an old transcript as the events that hooks would have reported: prompts, calls, and where turns and the session ended.

import { blocksOf, copyWatch, type RowSource, rowReader, type SeenEvent } from "../intake/index.ts";
import { defined, givenText, isObject, type JsonObject, sha256 } from "../lib/index.ts";

interface PastSource extends RowSource {
  /** The subagent whose file it is. */
  readonly agent?: string;
  /**
   * From this moment on hooks were listening. They have told of the ends of turns, and prompts have the ids that they
   * gave them: what is added from here on is only what they may have missed.
   */
  readonly hooksSince: number;
}

export interface PastReader {
  read(row: JsonObject, start: number): SeenEvent[];
  /** When all rows were read. `isOver`: the session is no longer written to, so that the last turn and the session have ended. */
  end(isOver: boolean): SeenEvent[];
}

/** The last thing that the assistant said or did in a turn. */
interface LastMessage {
  readonly id: string;
  readonly texts: string[];
  /** Then the turn went on, or was broken off. */
  hasCalls: boolean;
  at: number;
}

function readLastMessage(row: JsonObject, at: number, before: LastMessage | undefined) {
  const message = isObject(row.message) ? row.message : {};
  const id = givenText(message.id) ?? String(row.uuid);
  const last = before?.id === id ? before : { id, texts: [], hasCalls: false, at };
  for (const block of blocksOf(row)) {
    if (block.type === "text" && givenText(block.text)) last.texts.push(String(block.text));
    if (block.type === "tool_use") last.hasCalls = true;
  }
  last.at = at;
  return last;
}

/** Words that the client wrote in the assistant's name. */
const isClients = ({ isApiErrorMessage, message }: JsonObject) =>
  isApiErrorMessage === true || (isObject(message) && message.model === "<synthetic>");

const isInterruption = (row: JsonObject) =>
  blocksOf(row).some((block) => givenText(block.text)?.startsWith("[Request interrupted by user"));

/** Follows the thread of one file, and says how its turns ended. */
function turnWatch({ session, transcript, agent }: PastSource) {
  const told: JsonObject = {
    session_id: session,
    transcript_path: transcript,
    ...defined({ agent_id: agent }),
  };
  let prompt: string | undefined;
  let cwd: string | undefined;
  let last: LastMessage | undefined;
  let newest = Number.NEGATIVE_INFINITY;
  const about = () => ({
    ...told,
    ...defined({ cwd, prompt_id: prompt }),
  });
  return {
    note(row: JsonObject) {
      const at = Date.parse(String(row.timestamp));
      if (Number.isNaN(at)) return;
      newest = Math.max(newest, at);
      cwd = givenText(row.cwd) ?? cwd;
      if (row.type === "user" && isInterruption(row)) last = undefined;
      if (row.type === "assistant" && !isClients(row)) last = readLastMessage(row, at, last);
    },
    /** Of the turn that begins, by the id under which it is kept. */
    begin(id: string | undefined) {
      prompt = id;
    },
    about,
    lastAt: () => newest,
    /** The end of the turn, where it was not broken off. */
    close(): SeenEvent[] {
      const ended = last;
      last = undefined;
      if (!ended || ended.hasCalls || ended.texts.length === 0) return [];
      const hook_event_name = agent === undefined ? "Stop" : "SubagentStop";
      const last_assistant_message = ended.texts.join("\n");
      return [{ payload: { ...about(), hook_event_name, last_assistant_message }, at: ended.at }];
    },
  };
}

/**
 * Gives prompts that would be taken for one another an id of their own. Old transcripts have no ids of prompts, and
 * "continue" is said many times; a fork gives all prompts that it copied the same id.
 */
function promptNames(): (payload: JsonObject, row: JsonObject) => JsonObject {
  const taken = new Set<string>();
  return (payload, row) => {
    const key = givenText(payload.prompt_id) ?? sha256(String(payload.prompt).trim());
    const isTaken = taken.has(key);
    taken.add(key);
    return isTaken ? { ...payload, prompt_id: String(row.uuid) } : payload;
  };
}

function compactionEvent(row: JsonObject, about: JsonObject) {
  if (row.type !== "system" || row.subtype !== "compact_boundary") return [];
  const trigger = isObject(row.compactMetadata) ? givenText(row.compactMetadata.trigger) : undefined;
  const payload = { ...about, hook_event_name: "PostCompact", trigger: trigger ?? "auto" };
  return [{ payload, at: Date.parse(String(row.timestamp)) }];
}

/** Reads one file of a session, in its order. */
export function pastReader(source: PastSource): PastReader {
  const { session, agent, hooksSince } = source;
  const rows = rowReader(source);
  const turn = turnWatch(source);
  const named = promptNames();
  const isCopy = copyWatch();
  let hasBegun = false;
  const unheard = (events: readonly SeenEvent[]) =>
    events.filter(({ at }) => !Number.isNaN(at) && at < hooksSince);
  const isOwn = (row: JsonObject) =>
    (givenText(row.sessionId) === undefined || row.sessionId === session) &&
    // Older versions wrote what subagents did into the main file, too.
    (agent !== undefined || row.isSidechain !== true);
  const opened = (event: SeenEvent, row: JsonObject) => {
    const ended = unheard(turn.close());
    const payload = event.at < hooksSince ? named(event.payload, row) : event.payload;
    // Where the agent has ids of turns, its stops are told by those.
    turn.begin(givenText(payload.turn_id) ?? givenText(payload.prompt_id));
    return [...ended, { payload, at: event.at }];
  };
  return {
    read(row, start) {
      const seen = rows.read(row, start);
      hasBegun ||= seen.length > 0;
      const copied = isCopy(row);
      if (!isOwn(row)) return seen;
      const events = seen.flatMap((event) =>
        event.payload.hook_event_name === "UserPromptSubmit" ? opened(event, row) : event,
      );
      if (agent !== undefined && row.type === "user") turn.begin(givenText(row.promptId));
      if (!copied) turn.note(row);
      return [...events, ...unheard(compactionEvent(row, turn.about()))];
    },
    end(isOver) {
      if (!isOver) return [];
      const ended = unheard(turn.close());
      // A session without any event has no end worth storing.
      if (agent !== undefined || !hasBegun || hooksSince !== Number.POSITIVE_INFINITY) return ended;
      const payload = { ...turn.about(), hook_event_name: "SessionEnd", reason: "gone" };
      return [...ended, { payload, at: turn.lastAt() + 1 }];
    },
  };
}
