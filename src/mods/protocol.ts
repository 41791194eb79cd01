// The protocol between the mod inside Claude Code and the worker. The plugin cannot import it: a test compares the requests.
import { givenText, isObject, type JsonObject } from "../lib/index.ts";

/** Who asks: read from the body of every request. */
export interface Asker {
  readonly session: string;
  /** The folder that the agent was started in. */
  readonly project: string;
  readonly transcript: string | undefined;
  /** The model of the conversation; only with what is decided about a window. */
  readonly model: string | undefined;
  /** The version of Claude Code. */
  readonly version: string | undefined;
  readonly pid: number | undefined;
  readonly prompt: string | undefined;
}

/** What a mod can ask for, with the fields of each request beside `asker`. */
export interface ModsRequests {
  readonly hello: object;
  /** `isAnswered`: the prompt was answered before. `hasBlock`: the window still holds the index. */
  readonly event: {
    readonly payload: JsonObject;
    readonly at: number;
    readonly isAnswered?: boolean;
    readonly hasBlock?: boolean;
  };
  readonly prompt: { readonly text: string };
  readonly result: {
    readonly tool: string;
    readonly item: string;
    readonly results: readonly JsonObject[];
    readonly model: string;
  };
  /** `again` waits for the compaction that is under way. */
  readonly compact: JsonObject | { readonly again: true };
  readonly tool: { readonly name: string; readonly input: JsonObject; readonly inSubagent: boolean };
}

/** `declined`: it is not for the mod to do now, and command hooks or Claude Code itself are to go on. */
export type ModsReply =
  | { readonly kind: "done"; readonly data: object }
  | { readonly kind: "declined"; readonly why: string }
  | { readonly kind: "unknown" };

/** What the model and the person are shown for an event or a prompt. */
export interface EventAnswer {
  readonly context?: string;
  readonly message?: string;
}

/** Answers one kind of request. Undefined declines it. */
export type ModsOp = (asker: Asker, body: JsonObject) => Promise<object | undefined>;

/** Undefined for a body that does not say who asks. */
export function readAsker(body: JsonObject): Asker | undefined {
  const asker = isObject(body.asker) ? body.asker : {};
  const session = givenText(asker.session);
  const project = givenText(asker.project);
  if (session === undefined || project === undefined) return undefined;
  const pid = Number(asker.pid);
  return {
    session,
    project,
    transcript: givenText(asker.transcript),
    model: givenText(body.model),
    version: givenText(asker.version),
    pid: Number.isInteger(pid) && pid > 0 ? pid : undefined,
    prompt: givenText(asker.prompt),
  };
}
