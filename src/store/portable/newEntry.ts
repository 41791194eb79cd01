// What the index keeps of a row: its speaker, title and traits, and its passages with their terms.
import { sumOf } from "../../lib/index.ts";
import {
  definedName,
  isCode,
  isQuestion,
  isStandingRequest,
  passagesWithTerms,
  rowClassOf,
  termsOf,
} from "../../terms/index.ts";
import { type IndexedRow, searchableText } from "../searchableText.ts";

export const speakerOf = ({ kind, row }: IndexedRow) => {
  if (kind === "message") return row.role;
  return kind === "prompt" ? "user" : "";
};

function entryTitle({ kind, row }: IndexedRow, text: string) {
  if (kind === "observation") return row.title;
  return kind === "message" && isCode(text) ? (definedName(text) ?? "") : "";
}

export function newEntry(indexed: IndexedRow) {
  const text = searchableText(indexed);
  const speaker = speakerOf(indexed);
  const passages = passagesWithTerms(text).map(({ start, end, sequence, extra }) => ({
    start,
    end,
    sequence: sequence.join(" "),
    extra: extra.join(" "),
    length: sequence.length + extra.length,
  }));
  return {
    kind: indexed.kind,
    ref: indexed.row.id,
    session: indexed.kind === "message" ? indexed.row.session : indexed.row.claudeSessionId,
    project: indexed.row.project,
    speaker,
    title: termsOf(entryTitle(indexed, text)).sequence.join(" "),
    isCode: isCode(text),
    isStanding: speaker === "user" && isStandingRequest(text),
    isQuestion: indexed.kind === "message" && isQuestion(text),
    rowClass: rowClassOf(speaker, text),
    length: sumOf(passages, ({ length }) => length),
    atEpoch: indexed.kind === "message" ? indexed.row.atEpoch : indexed.row.createdAtEpoch,
    passages,
  };
}
