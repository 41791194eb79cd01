// Finds repetitions of known secrets: a value that was recognised by its name in one place is hidden everywhere.

import type { Found } from "./found.ts";
import { standsOut } from "./wordy.ts";

/** Shorter values occur by themselves; longer ones are recognised by their shape. */
const SHORTEST_VALUE = 6;
const LONGEST_VALUE = 512;

interface Node {
  readonly next: Map<number, Node>;
  /** Of the value that ends here. */
  kind?: string;
}

const newNode = (): Node => ({ next: new Map() });
const isWord = (text: string, at: number) => /[A-Za-z0-9]/.test(text.charAt(at));
/** What ends in a letter or digit that is no part of a word: an escape. */
const ESCAPE = /\\[nrtbf]$|%[0-9A-F]{2}$|\\u[0-9a-f]{4}$|\\x[0-9a-f]{2}$/i;

/** Values in one trie, so that the time of a search does not depend on their number. */
export class KnownSecrets {
  readonly #root = newNode();

  get isEmpty() {
    return this.#root.next.size === 0;
  }

  add(value: string, kind: string) {
    // What could be a word or a name stands elsewhere for something else.
    if (value.length > LONGEST_VALUE || !(standsOut(value, SHORTEST_VALUE) || /^\d{8,}$/.test(value))) return;
    let node = this.#root;
    for (let at = 0; at < value.length; at += 1) {
      const code = value.charCodeAt(at);
      const next = node.next.get(code) ?? newNode();
      node.next.set(code, next);
      node = next;
    }
    node.kind ??= kind;
  }

  /** Where any of the values stands, in order and apart. */
  find(text: string) {
    const found: Found[] = [];
    for (let at = 0; at < text.length; at += 1) {
      // Asked before the value is read: of a long run of one piece every start would be read to the value's end.
      if (!this.#root.next.has(text.charCodeAt(at)) || !beginsApart(text, at)) continue;
      const repeat = this.#longestAt(text, at);
      if (!repeat) continue;
      found.push(repeat);
      at = repeat.end - 1;
    }
    return found;
  }

  #longestAt(text: string, start: number) {
    let found: Found | undefined;
    let node: Node | undefined = this.#root;
    for (let at = start; node; at += 1) {
      if (node.kind && endsApart(text, at)) found = { kind: node.kind, start, end: at };
      node = node.next.get(text.charCodeAt(at));
    }
    return found;
  }
}

/** Whether a value that begins here is not the rest of a longer word. */
function beginsApart(text: string, start: number) {
  if (start === 0 || !isWord(text, start) || !isWord(text, start - 1)) return true;
  return ESCAPE.test(text.slice(Math.max(0, start - 6), start));
}

/** Whether a value that ends here is not the beginning of a longer word. */
const endsApart = (text: string, end: number) => !(isWord(text, end - 1) && isWord(text, end));
