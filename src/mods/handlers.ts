// Handlers of the requests of the mod inside Claude Code, and the decision whether the mod may act.

import { type Environment, isPaused } from "../home/index.ts";
import { defined, errorText, type JsonObject } from "../lib/index.ts";
import type { Logger } from "../log/index.ts";
import type { ToolBackend } from "../tools/index.ts";
import { type ModsSavings, makeSavings } from "./account.ts";
import { type CaptureParts, captureOp, promptOp, spoolEvent } from "./capture.ts";
import { compactionOp, withLongPolling } from "./compaction.ts";
import { laneChoice, takesMods } from "./lane.ts";
import { type Asker, type ModsOp, type ModsReply, type ModsRequests, readAsker } from "./protocol.ts";
import { resultsOp } from "./results.ts";
import { offeredTools, toolOp } from "./tools.ts";
import { openWindows, userModel } from "./windows.ts";

interface ModsParts extends Omit<CaptureParts, "savings"> {
  readonly backend: ToolBackend;
  readonly env: Environment;
  readonly log: Logger;
}

export type ModsHandlers = ReturnType<typeof makeModsHandlers>;

/** The event that Claude Code reports before a compaction of its own, and not before one of a mod's. */
function compactionPayload(
  { session, project, transcript, prompt }: Asker,
  trigger: string,
  instructions: string | undefined,
) {
  return {
    hook_event_name: "PreCompact",
    session_id: session,
    cwd: project,
    ...defined({ transcript_path: transcript, prompt_id: prompt }),
    trigger: trigger === "auto" ? "auto" : "manual",
    custom_instructions: instructions ?? null,
  };
}

function opsOf(parts: ModsParts, savings: ModsSavings) {
  const { home, env, log } = parts;
  const capture: CaptureParts = { ...parts, savings };
  const openWindow = openWindows(home, env);
  const announce = async (asker: Asker, trigger: string, instructions: string | undefined) => {
    const event = await spoolEvent(capture, asker, compactionPayload(asker, trigger, instructions));
    // The snapshot is taken now; the archive follows when the event is drained.
    if (event) await parts.answer(event, asker.project);
  };
  const model = userModel(home, env);
  const compact = compactionOp({ home, openWindow, languageModel: model, announce, savings, log });
  const ops: Readonly<Record<keyof ModsRequests, ModsOp>> = {
    hello: async ({ session }) => ({ line: savings.line(session), tools: offeredTools }),
    event: captureOp(capture),
    prompt: promptOp(capture),
    result: resultsOp(openWindow, savings),
    compact: withLongPolling(compact),
    tool: toolOp({ ...parts, openWindow }),
  };
  return new Map<string, ModsOp>(Object.entries(ops));
}

export function makeModsHandlers(parts: ModsParts) {
  const { home, env, log } = parts;
  const savings = makeSavings(parts.clock);
  const ops = opsOf(parts, savings);
  const lane = laneChoice(home, env);
  const refusal = (asker: Asker, op: string) => {
    // A tool that was offered may be used: it reads what is stored, or stores it by rules of its own.
    if (op === "tool") return undefined;
    if (isPaused(home)) return "paused";
    // Neither window nor vault of such a project is touched; the command hook decides for itself.
    if (parts.isExcluded(asker.project)) return "excluded";
    return takesMods(lane(), asker.version) ? undefined : "the lane is hooks";
  };
  return {
    /** Never rejects: what cannot be answered is declined, and Claude Code goes on by itself. */
    async ask(name: string, body: JsonObject): Promise<ModsReply> {
      const op = ops.get(name);
      if (!op) return { kind: "unknown" };
      const asker = readAsker(body);
      if (!asker) return { kind: "declined", why: "the request does not say who asks" };
      try {
        const why = refusal(asker, name);
        if (why !== undefined) return { kind: "declined", why };
        const data = await op(asker, body);
        return data === undefined
          ? { kind: "declined", why: "there is nothing to do" }
          : { kind: "done", data };
      } catch (error) {
        const problem = errorText(error);
        log.error({ session: asker.session, op: name, problem }, "mods.request-failed");
        return { kind: "declined", why: problem };
      }
    },
    account: savings.account,
  };
}
