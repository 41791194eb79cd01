// What lies beside a model's file: its tokenizer, and the words that it wants before questions and passages.
import { createHash } from "node:crypto";
import { createReadStream, existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { errorText, isObject, parseJson } from "../lib/index.ts";
import { cannotEmbed, type EmbeddedAs } from "./embedder.ts";
import { unigramFromJson } from "./unigram.ts";
import { type Tokenizer, wordPieceFromJson, wordPieceFromList } from "./wordPiece.ts";

function textBeside(file: string, name: string) {
  const place = path.join(path.dirname(file), name);
  return existsSync(place) ? readFileSync(place, "utf8") : undefined;
}

function objectBeside(file: string, name: string) {
  const value = parseJson(textBeside(file, name) ?? "{}");
  return isObject(value) ? value : {};
}

function fromJson(value: unknown) {
  const model = isObject(value) && isObject(value.model) ? value.model : {};
  return model.type === "Unigram" ? unigramFromJson(value) : wordPieceFromJson(value);
}

/** Throws `embedder-failed` where there is none, or one that cannot be read. */
export function tokenizerBeside(file: string, fix: string): Tokenizer {
  const [json, list] = [textBeside(file, "tokenizer.json"), textBeside(file, "vocab.txt")];
  try {
    if (json !== undefined) return fromJson(parseJson(json));
    const isCased = objectBeside(file, "tokenizer_config.json").do_lower_case === false;
    if (list !== undefined) return wordPieceFromList(list, !isCased);
  } catch (error) {
    const otherwise =
      "choose a model with a WordPiece or Unigram tokenizer, or run this one behind a server with search.embedder openai-compatible";
    throw cannotEmbed(`the vocabulary beside ${file} cannot be used: ${errorText(error)}`, otherwise, error);
  }
  throw cannotEmbed(`there is no tokenizer.json and no vocab.txt beside ${file}`, fix);
}

export type Prefixes = Readonly<Record<EmbeddedAs, string>>;

/** What its own settings say, else what models of the family E5 want. */
export function prefixesBeside(file: string): Prefixes {
  const { prompts } = objectBeside(file, "config_sentence_transformers.json");
  if (isObject(prompts)) {
    const said = (...names: readonly string[]) =>
      names.map((name) => prompts[name]).find((text) => typeof text === "string") ?? "";
    return { question: String(said("query")), passage: String(said("passage", "document")) };
  }
  const name = `${path.resolve(file)} ${objectBeside(file, "config.json")._name_or_path ?? ""}`;
  return /(?:^|[^a-z0-9])e5(?:[^a-z0-9]|$)/i.test(name)
    ? { question: "query: ", passage: "passage: " }
    : { question: "", passage: "" };
}

/** Vectors with and without these words cannot be compared. */
export const prefixName = ({ question, passage }: Prefixes) =>
  question === "" && passage === ""
    ? ""
    : `:${createHash("sha256").update(`${question}\n${passage}`).digest("hex").slice(0, 6)}`;

export async function hashOfFile(file: string, fix: string) {
  const hash = createHash("sha256");
  try {
    await pipeline(createReadStream(file), hash);
  } catch (error) {
    throw cannotEmbed(`${file} cannot be read (${errorText(error)})`, fix, error);
  }
  return hash.digest("hex").slice(0, 12);
}
