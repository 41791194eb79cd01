// What a rule is: the landmarks that call it, and what it does where one stands.
import type { Find } from "./found.ts";

/** Looks around one landmark. `at` is where it begins; its case may differ from the literal's. */
export type Look = (text: string, at: number, literal: string) => Find | readonly Find[] | undefined;

export interface Finder {
  /** Any case counts. Each stands for many texts that need not be looked at. */
  readonly landmarks: readonly string[];
  /** Called for every landmark. */
  readonly look?: Look;
  /** Called once for a text that has a landmark. */
  readonly scan?: (text: string) => readonly Find[];
}

/** Runs a sticky pattern at a place. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

/** Remembers how far a rule has looked into a text, so that it reads no part of it again and again. */
export class Progress {
  #text = "";
  #until = 0;

  isPast(text: string, at: number): boolean {
    return at < this.#until && text === this.#text;
  }

  reached(text: string, until: number): void {
    this.#text = text;
    this.#until = until;
  }
}
