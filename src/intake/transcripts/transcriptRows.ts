// Reads events off transcript rows, in the shape in which a hook would have handed them over.
import { CONTINUATION_MARKER } from "../../compact/index.ts";
import { defined, givenText, isObject, type JsonObject } from "../../lib/index.ts";

/** An event as a hook's payload, with the time at which it happened. */
export interface SeenEvent {
  readonly payload: JsonObject;
  readonly at: number;
}

interface OpenCall {
  readonly name: string;
  readonly input: unknown;
  /** Byte at which its row begins. */
  readonly start: number;
}

export interface RowSource {
  readonly session: string;
  readonly transcript: string;
}

export function blocksOf(row: JsonObject): JsonObject[] {
  const content = isObject(row.message) ? row.message.content : undefined;
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content.filter(isObject) : [];
}

/** What a tool answered, as text. */
export function answerText(content: unknown) {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .flatMap((part) => (isObject(part) && typeof part.text === "string" ? part.text : []))
    .join("\n");
}

/** `/name args` for a command that Claude Code wrote down in tags of its own. */
function typedText(words: string) {
  const name = /<command-name>([^<]*)<\/command-name>/.exec(words)?.[1]?.trim();
  if (name === undefined) return words;
  const args = /<command-args>([\s\S]*?)<\/command-args>/.exec(words)?.[1]?.trim() ?? "";
  return args === "" ? name : `${name} ${args}`;
}

/** Rows that Claude Code writes in the user's name although they were not typed as a prompt. */
const notTyped =
  /^\s*(<(local-command-|bash-(input|stdout|stderr)|task-notification|system-reminder)|\[Request interrupted by user)/;

/**
 * Tells the rows that a compaction of a mod puts back, in the order of the file: they stand behind its boundary, and
 * their times are before it. What they say was said, and kept, when it was new.
 */
export function copyWatch(): (row: JsonObject) => boolean {
  let boundaryAt = Number.NEGATIVE_INFINITY;
  return (row) => {
    const at = Date.parse(String(row.timestamp));
    if (row.type === "system" && row.subtype === "compact_boundary") boundaryAt = at;
    return (row.type === "user" || row.type === "assistant") && at <= boundaryAt;
  };
}

/** What the user typed; undefined for rows that only look like it. */
export function promptOf(row: JsonObject) {
  if (row.isMeta === true || row.isCompactSummary === true || row.isSidechain === true) return undefined;
  const blocks = blocksOf(row);
  if (blocks.some(({ type }) => type === "tool_result")) return undefined;
  const words = blocks.flatMap((block) => givenText(block.text) ?? []).join("\n");
  if (words === "" || notTyped.test(words) || words.startsWith(CONTINUATION_MARKER)) return undefined;
  // A command that Claude Code carried out itself begins with its name, and no hook hears of it either; one that
  // became a prompt begins with its message.
  if (/^\s*<command-name>/.test(words)) return undefined;
  return typedText(words);
}

/** The trigger of a compaction, from the row that marks it. */
function triggerOf({ type, subtype, compactMetadata }: JsonObject) {
  if (type !== "system" || subtype !== "compact_boundary") return undefined;
  return isObject(compactMetadata) ? givenText(compactMetadata.trigger) : undefined;
}

/** The agent's own words in the row of a summary, without the frame around them. */
function summaryOf(row: JsonObject) {
  const text = blocksOf(row)
    .flatMap((block) => givenText(block.text) ?? [])
    .join("\n");
  const words =
    /^Summary:\n([\s\S]*?)(?:\n\nIf you need specific details from before compaction|$(?![\s\S]))/m.exec(
      text,
    )?.[1];
  return words?.trim() ?? "";
}

/**
 * Tells the summary of the user's own `/compact`, which no hook reports: Claude Code would print it. Each summary once, with
 * the time of its compaction.
 */
function summaryWatch(): (row: JsonObject) => { readonly summary: string; readonly at: number } | undefined {
  let boundary: { readonly trigger: string; readonly at: number } | undefined;
  return (row) => {
    const trigger = triggerOf(row);
    if (trigger !== undefined) boundary = { trigger, at: Date.parse(String(row.timestamp)) };
    if (row.isCompactSummary !== true || boundary?.trigger !== "manual") return undefined;
    const found = { summary: summaryOf(row), at: boundary.at };
    boundary = undefined;
    return found.summary === "" || Number.isNaN(found.at) ? undefined : found;
  };
}

/** What every payload has. */
const basicFacts = ({ session, transcript }: RowSource, row: JsonObject): JsonObject => ({
  session_id: session,
  transcript_path: transcript,
  ...defined({
    cwd: givenText(row.cwd),
    prompt_id: givenText(row.promptId),
    turn_id: givenText(row.turnId),
    agent_id: givenText(row.agentId),
    agent_client: givenText(row.agentClient),
    model: givenText(row.agentModel),
  }),
});

/** Keeps the calls that it has read until their answers come. Rows of other sessions are passed over. */
export function rowReader({ session, transcript }: RowSource) {
  const calls = new Map<string, OpenCall>();
  const isCopy = copyWatch();
  const summaries = summaryWatch();
  const baseOf = (row: JsonObject) => basicFacts({ session, transcript }, row);
  const answered = (row: JsonObject, block: JsonObject): JsonObject[] => {
    const id = givenText(block.tool_use_id);
    const call = id === undefined ? undefined : calls.get(id);
    if (id === undefined || !call) return [];
    calls.delete(id);
    const facts = { ...baseOf(row), tool_name: call.name, tool_input: call.input, tool_use_id: id };
    if (block.is_error === true)
      return [{ ...facts, hook_event_name: "PostToolUseFailure", error: answerText(block.content) }];
    const response = row.toolUseResult ?? block.content ?? null;
    return [{ ...facts, hook_event_name: "PostToolUse", tool_response: response }];
  };
  const fromUser = (row: JsonObject): JsonObject[] => {
    const results = blocksOf(row).filter(({ type }) => type === "tool_result");
    if (results.length > 0) return results.flatMap((block) => answered(row, block));
    const prompt = promptOf(row);
    if (prompt === undefined) return [];
    // Calls before a prompt that have no answer will never get one.
    calls.clear();
    return [{ ...baseOf(row), hook_event_name: "UserPromptSubmit", prompt }];
  };
  return {
    read(row: JsonObject, start: number): SeenEvent[] {
      if (givenText(row.sessionId) !== undefined && row.sessionId !== session) return [];
      const [isOld, compacted] = [isCopy(row), summaries(row)];
      if (compacted !== undefined) {
        const facts = {
          hook_event_name: "PostCompact",
          trigger: "manual",
          compact_summary: compacted.summary,
        };
        return [{ payload: { ...baseOf(row), ...facts }, at: compacted.at }];
      }
      if (isOld) return [];
      if (row.type === "assistant") {
        for (const { type, id, name, input } of blocksOf(row)) {
          if (type === "tool_use" && typeof id === "string" && typeof name === "string")
            calls.set(id, { name, input, start });
        }
      }
      const at = Date.parse(String(row.timestamp));
      if (row.type !== "user" || Number.isNaN(at)) return [];
      return fromUser(row).map((payload) => ({ payload, at }));
    },
    /** Where a later scan must begin to see every call that is still unanswered; undefined when none is. */
    firstOpen: () => {
      const starts = [...calls.values()].map(({ start }) => start);
      return starts.length === 0 ? undefined : Math.min(...starts);
    },
  };
}
