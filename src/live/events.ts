// The events of a live compaction, raised as the agent would raise those of its own: it does not know of this one.
import { type Home, spoolFolder } from "../home/index.ts";
import { contextOf, type HookAnswer } from "../inject/index.ts";
import { type Clock, defined, type JsonObject } from "../lib/index.ts";
import { type CapturedEvent, captureEvent, writeEventAsync } from "../spool/index.ts";
import type { CompactionEvents } from "./engine.ts";
import type { PlanQuestion } from "./protocol.ts";

interface EventParts {
  readonly home: Home;
  readonly version: string;
  readonly clock: Clock;
  /** Answers an event as a hook would be answered: the snapshot is taken here. */
  readonly answer: (event: CapturedEvent, project: string) => Promise<HookAnswer>;
}

const digest = /<throughline-context kind="snapshot" [\s\S]*?<\/throughline-context>\s*/;

/** The window that the engine makes has what the digest of the snapshot would tell once more. */
const withoutDigest = (context: string) => context.replace(digest, "");

export function compactionEvents(parts: EventParts): CompactionEvents {
  /** Into the spool first: what is written there survives this process. */
  const raise = async (question: PlanQuestion, payload: JsonObject) => {
    const { session, project, transcript } = question;
    const base = { session_id: session, cwd: project, ...defined({ transcript_path: transcript }) };
    const now = parts.clock.now();
    const event = captureEvent({ ...base, ...payload }, { lane: "mods", writer: parts.version, now });
    if (event) await writeEventAsync(spoolFolder(parts.home), event);
    return event;
  };
  return {
    async before(question) {
      const payload = { hook_event_name: "PreCompact", trigger: "auto", custom_instructions: null };
      const event = await raise(question, payload);
      if (event) await parts.answer(event, question.project);
    },
    async sessionStart(question) {
      const event = await raise(question, { hook_event_name: "SessionStart", source: "compact" });
      return event ? withoutDigest(contextOf(await parts.answer(event, question.project))) : "";
    },
    async after(question, summary) {
      await raise(question, { hook_event_name: "PostCompact", trigger: "auto", compact_summary: summary });
    },
  };
}
