// A long text as passages: pieces of a few sentences, so that one good sentence is not drowned by the rest.
import { termsOf } from "./terms.ts";

interface Passage {
  /** Offsets into the text, in UTF-16 units; `end` is out. */
  readonly start: number;
  readonly end: number;
}

const SIZE = 450;
/** A text up to this long stays whole: cutting off a short tail would only lose its context. */
const WHOLE = SIZE * 1.5;

const sentenceEnd = /[.!?。！？\n]+\s*/g;

function* sentences(text: string): Generator<Passage> {
  let start = 0;
  for (const match of text.matchAll(sentenceEnd)) {
    const end = match.index + match[0].length;
    yield { start, end };
    start = end;
  }
  if (start < text.length) yield { start, end: text.length };
}

/** Where to cut a sentence that is too long: at a space if there is one, never inside a surrogate pair. */
function cutPassage(text: string, start: number) {
  const space = text.lastIndexOf(" ", start + SIZE);
  if (space > start + SIZE / 2) return space + 1;
  const at = start + SIZE;
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 ? at + 1 : at;
}

/** Every character that is not space is in exactly one passage. */
export function passagesOf(text: string): Passage[] {
  if (text.length <= WHOLE) return text.trim() === "" ? [] : [{ start: 0, end: text.length }];
  const found: Passage[] = [];
  let start = 0;
  let end = 0;
  const close = () => {
    if (text.slice(start, end).trim() !== "") found.push({ start, end });
    start = end;
  };
  for (const sentence of sentences(text)) {
    if (end > start && sentence.end - start > SIZE) close();
    end = sentence.end;
    while (end - start > WHOLE) {
      const rest = end;
      end = cutPassage(text, start);
      close();
      end = rest;
    }
  }
  close();
  return found;
}

/** The passages of a text, each with its terms. */
export const passagesWithTerms = (text: string) =>
  passagesOf(text).map(({ start, end }) => ({ start, end, ...termsOf(text.slice(start, end)) }));
