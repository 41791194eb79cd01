// What programs send to the gateway and get from it, version 1: the one source of checks, OpenAPI document and types.
import { z } from "zod";

const text = z.string();
const name = text
  .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, "is a name of small letters, digits and dashes, such as my-agent")
  .describe("the agent; the same name for all its sessions");

const about = {
  agent: name,
  session: text.min(1).max(200).describe("the agent's own id of the session; unique for the agent"),
  cwd: text
    .regex(/^(\/|[A-Za-z]:[\\/])/, "is an absolute path")
    .describe("the folder of the work; it decides on the project, and on whether anything may be kept"),
};

const occurrence = {
  ...about,
  id: text.min(1).max(200).describe("unique in the session: an event that is sent twice is stored once"),
  at: z.iso.datetime({ offset: true }).optional().describe("when it happened; now unless given"),
  model: text.max(200).optional().describe("the model that the agent works with"),
};

const sources = z.enum(["startup", "resume", "clear", "compact"]);

/** One event. */
export const gatewayEvent = z
  .discriminatedUnion("type", [
    z.strictObject({ type: z.literal("session-start"), ...occurrence, source: sources.default("startup") }),
    z.strictObject({
      type: z.literal("prompt"),
      ...occurrence,
      text: text.min(1).describe("what the user typed"),
    }),
    z.strictObject({
      type: z.literal("tool"),
      ...occurrence,
      name: text
        .min(1)
        .describe("`Bash`, `Read`, `Edit` and `Write` are understood with Claude Code's inputs"),
      input: z.record(text, z.unknown()).default({}),
      output: z.unknown().optional().describe("what the tool gave back: a text, or any JSON"),
      error: text.optional().describe("why it failed; a call with an error is stored as failed"),
    }),
    z.strictObject({
      type: z.literal("message"),
      ...occurrence,
      role: z.enum(["user", "assistant", "tool"]),
      text: text.min(1).describe("what was said; it can be found by search and is not observed"),
    }),
    z.strictObject({
      type: z.literal("turn-end"),
      ...occurrence,
      text: text
        .default("")
        .describe("the last message of the model; observations of the turn are made then"),
    }),
    z.strictObject({
      type: z.literal("compaction"),
      ...occurrence,
      trigger: z.enum(["auto", "manual"]).default("auto"),
      summary: text.optional().describe("the summary that replaced the conversation"),
    }),
    z.strictObject({ type: z.literal("session-end"), ...occurrence, reason: text.default("other") }),
  ])
  .describe("something that happened in a session");

export type GatewayEvent = z.output<typeof gatewayEvent>;

export const MOST_EVENTS = 500;

export const ingestRequest = z.strictObject({ events: z.array(z.unknown()).min(1).max(MOST_EVENTS) });

/** The same for the document: `events` are checked one by one, so that an error names the one that is wrong. */
export const ingestBody = z.strictObject({ events: z.array(gatewayEvent).min(1).max(MOST_EVENTS) });

export const ingestAnswer = z.object({
  accepted: z
    .int()
    .describe("events that are on the disk now; one that was known is accepted and not stored again"),
  left: z.int().describe("events that may not be kept: of an excluded folder, or while capture is paused"),
});

export const contextRequest = z.strictObject({
  ...about,
  source: sources.default("startup"),
  prompt: text
    .optional()
    .describe("with it, what this prompt needs; without it, what a session is told at its start"),
});

export const contextAnswer = z.object({
  text: text.describe("to be put before the model as it is; empty where there is nothing to say"),
});
