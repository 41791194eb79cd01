// A one-pass count of the pieces a byte-pair tokenizer would cut a text into; coefficients fitted on real usage.

const LOWER = 0;
const UPPER = 1;
const DIGIT = 2;
const SPACE = 3;
const NEWLINE_CLASS = 4;
const TAB = 5;
const PUNCTUATION = 6;
const LETTER = 7;
const CJK_CLASS = 8;
const SYMBOL = 9;

const asciiKind = new Uint8Array(128).fill(PUNCTUATION);
for (let code = 0; code < 128; code++) {
  if (code >= 97 && code <= 122) asciiKind[code] = LOWER;
  else if (code >= 65 && code <= 90) asciiKind[code] = UPPER;
  else if (code >= 48 && code <= 57) asciiKind[code] = DIGIT;
}
asciiKind[0x20] = SPACE;
asciiKind[0x0a] = NEWLINE_CLASS;
asciiKind[0x09] = TAB;

/** Words are cut at case changes; what stands before a piece decides how likely it is one token. */
const AFTER_BLANK = 0;
const AFTER_MARK = 1;
const AFTER_HUMP = 2;
const LONGEST_PIECE = 24;

/** Tokens of a piece by origin and length, as [up to 1, up to 3, up to 6, up to 9, beyond, each letter past 9]. */
const pieceFit: readonly (readonly [number, number, number, number, number, number])[] = [
  [1.36, 0.84, 1.13, 1.13, 1.37, 0.1],
  [1.04, 0.85, 1.17, 1.38, 1.38, 0.15],
  [1.46, 0.98, 1.53, 1.53, 2.2, 0.1],
];

const pieceCost = new Float64Array(pieceFit.length * (LONGEST_PIECE + 1));
pieceFit.forEach(([one, three, six, nine, beyond, each], origin) => {
  for (let length = 1; length <= LONGEST_PIECE; length++) {
    const cost =
      length === 1
        ? one
        : length <= 3
          ? three
          : length <= 6
            ? six
            : length <= 9
              ? nine
              : beyond + each * (length - 9);
    pieceCost[origin * (LONGEST_PIECE + 1) + length] = cost;
  }
});
const PAST_LONGEST = 0.3;

const DIGIT_RUN = 1.49;
const DIGIT_GROUP = 0.98;
const MARK_RUN = 0.84;
const PUNCTUATION_MARK = 0.235;
/** Rulers (`-----`) are cut into very long tokens. */
const RULE_MARK = 0.06;
/** Random letters and digits (keys, hashes, base64) have few long tokens: a rate per character is the floor. */
const OPAQUE_LENGTH = 20;
const OPAQUE_RATE = 0.65;
const LINE_END_TOKENS = 0.7;
const INDENT = 1.15;
const INDENT_SPACE = 0.05;
const TABS = 0.96;
const TAB_EACH = 0.03;
const FOREIGN_LETTER = 0.9;
const ARROW = 0.44;
const OTHER_SYMBOL = 1.2;
const SAME_SYMBOL = 0.3;
const HAN = 1.1;
const KANA = 0.85;
const HANGUL = 1;

function foreignKind(code: number) {
  if (code < 0x2000) return LETTER;
  if (code >= 0x2e80 && code <= 0x9fff) return CJK_CLASS;
  if ((code >= 0xac00 && code <= 0xd7af) || (code >= 0xf900 && code <= 0xfaff)) return CJK_CLASS;
  if (code >= 0xff00 && code <= 0xffef) return CJK_CLASS;
  return SYMBOL;
}

function cjkCost(code: number) {
  if (code >= 0x3040 && code <= 0x30ff) return KANA;
  return code >= 0xac00 && code <= 0xd7af ? HANGUL : HAN;
}

function symbolCost(code: number, beforeCode: number) {
  // The arrow is in every line of a numbered file listing, and has a token of its own with what is around it.
  if (code === 0x2192) return ARROW;
  return code === beforeCode ? SAME_SYMBOL : OTHER_SYMBOL;
}

function pieceTokens(origin: number, length: number) {
  const known = Math.min(length, LONGEST_PIECE);
  return (pieceCost[origin * (LONGEST_PIECE + 1) + known] ?? 0) + (length - known) * PAST_LONGEST;
}

/** What one more character that is neither letter nor digit adds, by how many of its kind stand in a row. */
function markTokens(kind: number, run: number, code: number, beforeCode: number) {
  if (kind === PUNCTUATION) {
    if (run === 1) return MARK_RUN + PUNCTUATION_MARK;
    return run > 4 && code === beforeCode ? RULE_MARK : PUNCTUATION_MARK;
  }
  // A lone space belongs to the word after it.
  if (kind === SPACE) return run === 1 ? 0 : run === 2 ? INDENT + INDENT_SPACE : INDENT_SPACE;
  if (kind === NEWLINE_CLASS) return LINE_END_TOKENS;
  if (kind === TAB) return run === 1 ? TABS + TAB_EACH : TAB_EACH;
  return kind === LETTER ? FOREIGN_LETTER : symbolCost(code, beforeCode);
}

/** Tokens of a word that has ended: as its pieces say, or more if it looks random. */
function wordTokens(pieces: number, length: number, digits: number) {
  return length >= OPAQUE_LENGTH && digits * 12 >= length ? Math.max(pieces, length * OPAQUE_RATE) : pieces;
}

interface Scan {
  /** Tokens of everything but the ideographs. */
  plain: number;
  /** Tokens of Chinese, Japanese and Korean characters, whose rate differs most between tokenizers. */
  cjk: number;
}

/**
 * Counts tokens of the old tokenizer family. Linear, no allocation but the result; a word costs what its
 * length and what stands before it suggest, digits go in groups of three, runs of marks share a token.
 */
export function scanText(text: string): Scan {
  let plain = 0;
  let cjk = 0;
  /** Tokens, length and digits of the word being read: an unbroken run of letters and digits. */
  let word = 0;
  let wordLength = 0;
  let wordDigits = 0;
  let piece = 0;
  let origin = AFTER_BLANK;
  let run = 0;
  let before = SPACE;
  let beforeCode = 0;
  const end = text.length;
  for (let at = 0; at < end; at++) {
    const code = text.charCodeAt(at);
    const kind = code < 128 ? (asciiKind[code] ?? PUNCTUATION) : foreignKind(code);
    run = kind === before ? run + 1 : 1;
    if (kind <= DIGIT) {
      wordLength++;
      if (kind !== DIGIT && before <= UPPER && (kind === LOWER || before === UPPER)) {
        piece++;
      } else {
        if (piece > 0) word += pieceTokens(origin, piece);
        if (kind === DIGIT) {
          word += run === 1 ? DIGIT_RUN : run % 3 === 1 ? DIGIT_GROUP : 0;
          wordDigits++;
          piece = 0;
        } else {
          origin = piece > 0 ? AFTER_HUMP : before >= SPACE && before <= TAB ? AFTER_BLANK : AFTER_MARK;
          piece = 1;
        }
      }
    } else {
      if (wordLength > 0) {
        if (piece > 0) word += pieceTokens(origin, piece);
        plain += wordTokens(word, wordLength, wordDigits);
        word = wordLength = wordDigits = piece = 0;
      }
      if (kind === CJK_CLASS) cjk += cjkCost(code);
      else plain += markTokens(kind, run, code, beforeCode);
    }
    before = kind;
    beforeCode = code;
  }
  if (piece > 0) word += pieceTokens(origin, piece);
  return { plain: plain + wordTokens(word, wordLength, wordDigits), cjk };
}
