// Text into the numbers that models of BERT's kind read: words cut into the longest pieces that their vocabulary has.
import { isObject, type JsonObject } from "../lib/index.ts";

export interface Tokenizer {
  /** Without marks; never more than `most`. */
  pieces(text: string, most: number): number[];
  /** What stands for what it does not know. */
  readonly unknown: number;
  /** The marks before and after a text, where the vocabulary has any. */
  readonly marks?: readonly [begin: number, end: number];
}

interface Vocabulary {
  readonly pieces: ReadonlyMap<string, number>;
  readonly isLower: boolean;
  readonly stripsAccents: boolean;
  readonly unknown: string;
  readonly inside: string;
}

const LONGEST_PIECED_WORD = 100;

const whitespace = /[\s\p{Zs}]+/u;
const controlCharacters = /[\p{Cc}\p{Cf}\ufffd]/gu;
const ideograph = /(\p{Script=Han})/gu;
/** Also the signs of ASCII that Unicode does not count among punctuation. */
const punctuation = /([\p{P}$+<=>^`|~])/gu;
const accent = /\p{Mn}/gu;

function normalizedWords(text: string, { isLower, stripsAccents }: Vocabulary) {
  const plain = text
    .replace(/[\t\n\r]/g, " ")
    .replace(controlCharacters, "")
    .replace(ideograph, " $1 ");
  const even = isLower ? plain.toLowerCase() : plain;
  const bare = stripsAccents ? even.normalize("NFD").replace(accent, "") : even;
  return bare
    .replace(punctuation, " $1 ")
    .split(whitespace)
    .filter((word) => word !== "");
}

/** A word that cannot be put together from pieces is unknown as a whole. */
function piecesOfWord(word: string, { pieces, unknown, inside }: Vocabulary) {
  const missing = pieces.get(unknown) ?? 0;
  const letters = [...word];
  if (letters.length > LONGEST_PIECED_WORD) return [missing];
  const found: number[] = [];
  for (let from = 0; from < letters.length; ) {
    let to = letters.length;
    let piece: number | undefined;
    for (; to > from && piece === undefined; to -= 1) {
      const written = letters.slice(from, to).join("");
      piece = pieces.get(from === 0 ? written : inside + written);
    }
    if (piece === undefined) return [missing];
    found.push(piece);
    from = to + 1;
  }
  return found;
}

function wordPieceFrom(vocabulary: Vocabulary): Tokenizer {
  const [begin, end] = ["[CLS]", "[SEP]"].map((mark) => vocabulary.pieces.get(mark));
  return {
    unknown: vocabulary.pieces.get(vocabulary.unknown) ?? 0,
    ...(begin !== undefined && end !== undefined && { marks: [begin, end] as const }),
    pieces(text, most) {
      const found: number[] = [];
      for (const word of normalizedWords(text, vocabulary)) {
        if (found.length >= most) break;
        found.push(...piecesOfWord(word, vocabulary));
      }
      return found.slice(0, most);
    },
  };
}

const stringField = (from: JsonObject, name: string, otherwise: string) =>
  typeof from[name] === "string" ? from[name] : otherwise;

/** `tokenizer.json`, as tokenizers of Hugging Face are kept. Throws for those that do not cut words into pieces this way. */
export function wordPieceFromJson(value: unknown): Tokenizer {
  const model = isObject(value) && isObject(value.model) ? value.model : {};
  const kind = stringField(model, "type", "WordPiece");
  if (kind !== "WordPiece" || !isObject(model.vocab))
    throw new Error(`it is of the kind ${kind}, and only WordPiece and Unigram can be read`);
  const normalizer = isObject(value) && isObject(value.normalizer) ? value.normalizer : {};
  const isLower = normalizer.lowercase !== false;
  return wordPieceFrom({
    pieces: new Map(Object.entries(model.vocab).map(([piece, id]) => [piece, Number(id)])),
    isLower,
    stripsAccents: typeof normalizer.strip_accents === "boolean" ? normalizer.strip_accents : isLower,
    unknown: stringField(model, "unk_token", "[UNK]"),
    inside: stringField(model, "continuing_subword_prefix", "##"),
  });
}

/** `vocab.txt`: a piece a line, its number that of the line. */
export function wordPieceFromList(text: string, isLower = true): Tokenizer {
  const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
  return wordPieceFrom({
    pieces: new Map(lines.map((piece, id) => [piece, id])),
    isLower,
    stripsAccents: isLower,
    unknown: "[UNK]",
    inside: "##",
  });
}
