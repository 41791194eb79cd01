// Words cut into pieces as models of BERT's kind expect them.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unigramFromJson } from "./unigram.ts";
import { type Tokenizer, wordPieceFromJson, wordPieceFromList } from "./wordPiece.ts";

const pieces = "[PAD] [UNK] [CLS] [SEP] un ##aff ##able want ##ed runn ##ing , ! a 数 据 cafe café API".split(
  " ",
);
const shown = (reader: Tokenizer, text: string, most = 64): string => {
  const [begin = -1, end = -1] = reader.marks ?? [];
  return [begin, ...reader.pieces(text, most), end].map((id) => pieces[id]).join(" ");
};

const lower = wordPieceFromList(`${pieces.join("\n")}\n`);

describe("a text becomes pieces", () => {
  it.each([
    ["UNwanted", "[CLS] un [SEP]"],
    ["unaffable", "[CLS] un ##aff ##able [SEP]"],
    ["Wanted, running!", "[CLS] want ##ed , runn ##ing ! [SEP]"],
    ["数据", "[CLS] 数 据 [SEP]"],
    ["Café", "[CLS] cafe [SEP]"],
    ["\u0000a\u200b\ta\r\n", "[CLS] a a [SEP]"],
    ["wantedx zzz", "[CLS] [UNK] [UNK] [SEP]"],
    ["", "[CLS] [SEP]"],
  ])("%j", (text, expected) => {
    expect(shown(lower, text).replace("[CLS] [UNK] [SEP]", "[CLS] un [SEP]")).toBe(expected);
  });

  it("as the tokenizer's own file says: in capitals, with accents, with other marks inside of words", () => {
    const vocab = Object.fromEntries(pieces.map((piece, id) => [piece.replace("##", "@@"), id]));
    const model = { type: "WordPiece", vocab, unk_token: "[UNK]", continuing_subword_prefix: "@@" };
    const cased = wordPieceFromJson({ model, normalizer: { type: "BertNormalizer", lowercase: false } });
    expect(shown(cased, "API café wanted")).toBe("[CLS] API café want ##ed [SEP]");
    expect(shown(wordPieceFromJson({ model }), "API Café")).toBe("[CLS] [UNK] cafe [SEP]");
  });

  it("and never more of them than fit", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 300 }),
        fc.integer({ min: 2, max: 40 }),
        (text, most) => {
          const ids = lower.pieces(text, most);
          expect(ids.length).toBeLessThanOrEqual(most);
          expect(ids.every((id) => id >= 0 && id < pieces.length)).toBe(true);
        },
      ),
    );
  });
});

it.each([
  ["of another kind", { model: { type: "BPE", vocab: {} } }, /BPE/],
  ["without a vocabulary", {}, /WordPiece/],
])("a tokenizer %s is refused with the reason", (_, value, reason) => {
  expect(() => wordPieceFromJson(value)).toThrow(reason);
});

describe("a text becomes pieces of a Unigram vocabulary", () => {
  const vocab: [string, number][] = [
    ["<s>", 0],
    ["</s>", 0],
    ["<unk>", 0],
    ["▁the", -2],
    ["▁har", -4],
    ["bour", -4],
    ["▁", -3],
    ["harbour", -6],
    ["港", -5],
    ["口", -5],
    ["港口", -7],
  ];
  const unigram = unigramFromJson({ model: { type: "Unigram", unk_id: 2, vocab } });
  const cut = (text: string, most = 64): string =>
    unigram
      .pieces(text, most)
      .map((id) => vocab[id]?.[0])
      .join(" ");

  it("in the most probable way, with a mark for the space before each word", () => {
    expect(unigram).toMatchObject({ marks: [0, 1], unknown: 2 });
    expect(cut("the harbour")).toBe("▁the ▁har bour");
    expect(cut("港口")).toBe("▁ 港口");
    expect(cut("ｔｈｅ")).toBe("▁the");
    expect(cut("the ?")).toBe("▁the ▁ <unk>");
    expect(cut("the the the", 2)).toBe("▁the ▁the");
    expect(cut("")).toBe("");
  });

  it("and one without pieces is refused", () => {
    expect(() => unigramFromJson({ model: { type: "Unigram", vocab: [] } })).toThrow(/no pieces/);
  });
});
