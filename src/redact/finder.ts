// The interface of a rule: the landmarks that trigger it, and how it scans around one.
import type { Find } from "./found.ts";

/** Looks around one landmark. `at` is where it begins; its case may differ from the literal's. */
type Look = (text: string, at: number, literal: string) => Find | readonly Find[] | undefined;

export interface Finder {
  /** Says in a report which rule it was. */
  readonly name: string;
  /** Literals with `|` between them, in any case. A text without one of them is not looked at; the empty one is in every text. */
  readonly landmarks: string;
  /** Called for every landmark. */
  readonly look?: Look;
  /** Called once for a text that has a landmark. The caller may add to the list. */
  readonly scan?: (text: string) => Find[];
}

export const landmarksOf = ({ landmarks }: Finder): string[] => landmarks.split("|");

/** Runs a sticky pattern at a place. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

/** The length of a text without these characters at its end. */
export function trimmedLength(text: string, characters: string): number {
  let length = text.length;
  while (length > 0 && characters.includes(text.charAt(length - 1))) length -= 1;
  return length;
}

let scans = 0;

/** Starts a new scan: every `Progress` of an earlier scan, even of the same text, is reset. */
export function beginScan(): void {
  scans += 1;
}

/** Records how far a rule has read a text, so that no part is read repeatedly. */
export class Progress {
  #scan = 0;
  #until = 0;

  isPast(at: number): boolean {
    return at < this.#until && scans === this.#scan;
  }

  reached(until: number): void {
    this.#scan = scans;
    this.#until = until;
  }
}
