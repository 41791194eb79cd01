// Answers carriers in the worker: reads what they send, decides whether new edits may be planned, and never throws.
import { z } from "zod";
import type { Config } from "../config/index.ts";
import { type Home, type IsExcluded, isPaused } from "../home/index.ts";
import { errorText, type JsonObject } from "../lib/index.ts";
import type { Logger } from "../log/index.ts";
import { type EngineParts, LiveEngine, type OpenLiveWindow, type WindowRequest } from "./engine.ts";
import type { ObserveQuestion, PlanAnswer, PlanQuestion } from "./protocol.ts";

const text = z.string();
const optional = text.optional();
const name = text.min(1).max(500);
const index = z.int().min(0);
const carrier = z.enum(["mod", "proxy", "plugin"]);

const price = z.number().min(0).optional();

const asked = {
  v: z.literal(1),
  carrier,
  session: name,
  agent: name.optional(),
  project: name,
  model: name,
  version: index,
};

const planQuestion = z.object({
  ...asked,
  transcript: optional,
  client: optional,
  betas: z.array(text).optional(),
  window: z.number().positive().optional(),
  described: z
    .object({
      window: z.number().positive(),
      maxOutput: price,
      input: price,
      output: price,
      cacheRead: price,
      cacheWrite: price,
    })
    .optional(),
  fixed: z.record(text, text).optional(),
  fixedHash: text,
  base: z.object({ count: index, chain: text }),
  rows: z.array(text),
  isPartial: z.boolean().optional(),
  deadline: z.number().positive(),
  refused: z
    .object({
      attempt: index,
      tokens: index.optional(),
      limit: index.optional(),
      isThinking: z.boolean().optional(),
      isUnread: z.boolean().optional(),
      length: index.optional(),
    })
    .optional(),
  summary: z.object({ id: text, text: optional, rows: index.optional() }).optional(),
});

const observeQuestion = z.object({
  ...asked,
  usage: z.unknown().optional(),
  contextManagement: z.unknown().optional(),
  cacheMiss: z.unknown().optional(),
});

interface LiveParts extends EngineParts {
  readonly home: Home;
  readonly isExcluded: IsExcluded;
  readonly log: Logger;
  /** Whether the mod of this client may edit requests: the lane that the user chose. */
  readonly takesMods: (client: string | undefined) => boolean;
}

/** `declined`: the carrier goes on with the edits in force. */
type LiveReply =
  | { readonly kind: "done"; readonly data: object }
  | { readonly kind: "declined"; readonly why: string }
  | { readonly kind: "unknown" };

export interface LiveHandlers {
  /** Never rejects. */
  ask(op: string, body: JsonObject): Promise<LiveReply>;
  /** The window of a session whose requests are edited, for the tools of its model. */
  windowOf(asked: WindowRequest): OpenLiveWindow | undefined;
}

export function makeLiveHandlers(parts: LiveParts): LiveHandlers {
  const engine = new LiveEngine(parts);
  const offReason = (question: PlanQuestion, values: Config): string | undefined => {
    if (isPaused(parts.home)) return "Throughline is paused";
    if (!values.live.enabled) return "the live window is switched off (live.enabled)";
    if (question.carrier === "mod" && !parts.takesMods(question.client)) return "the lane is hooks";
    return undefined;
  };
  const plan = async (question: PlanQuestion): Promise<PlanAnswer | undefined> => {
    if (parts.isExcluded(question.project)) return undefined;
    return engine.plan(question, offReason(question, parts.settings(question.project)));
  };
  const ops = {
    plan: (body: JsonObject) => plan(planQuestion.parse(body) as PlanQuestion),
    observe: async (body: JsonObject) => {
      engine.observe(observeQuestion.parse(body) as ObserveQuestion);
      return {};
    },
  };
  return {
    windowOf: (asked) => engine.windowFor(asked),
    async ask(op, body) {
      if (op !== "plan" && op !== "observe") return { kind: "unknown" };
      try {
        const data = await ops[op](body);
        return data === undefined
          ? { kind: "declined", why: "the folder is excluded" }
          : { kind: "done", data };
      } catch (error) {
        const problem = errorText(error);
        parts.log.error({ op, problem }, "live.request-failed");
        return { kind: "declined", why: problem };
      }
    },
  };
}
