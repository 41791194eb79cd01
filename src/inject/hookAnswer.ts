// What a hook or a mod is answered, as data: the worker prints it for hooks, mods take the fields.
import type { JsonObject } from "../lib/index.ts";

export interface HookAnswer {
  /** For the model. */
  readonly context?: string;
  /** The index of earlier sessions, for the model behind `context`. A window that still holds one is not given another. */
  readonly index?: string;
  /** For the person. */
  readonly systemMessage?: string;
  /** What the model is shown in the place of a tool's output. */
  readonly toolOutput?: JsonObject;
  /** Lines for the hook's log. */
  readonly log?: readonly string[];
}

/** The same as a hook prints it and writes it into its log. */
export interface HookReply {
  readonly stdout?: string;
  readonly log?: readonly string[];
}

export const joinTexts = (...texts: readonly (string | undefined)[]) => texts.filter(Boolean).join("\n\n");

const OWN_NAME = /^Throughline(?:: |：)/;

/** What a person is to be shown, in one line that has the name once; undefined where there is nothing. */
export function personLine(...messages: readonly (string | undefined)[]): string | undefined {
  const [first, ...rest] = messages.flatMap((message) => message?.split("\n").filter(Boolean) ?? []);
  if (first === undefined) return undefined;
  return [first, ...rest.map((message) => message.replace(OWN_NAME, ""))].join(" · ");
}

/** Everything for the model as one text; empty where there is nothing. */
export const contextOf = ({ context, index }: HookAnswer) => joinTexts(context, index);
