// Which rows of the transcript each statement of a snapshot rests on: one line of the file, under its seal.
import path from "node:path";
import { oneLine, rowOf, type Statement } from "../activity/index.ts";
import { isObject, parseJson } from "../lib/index.ts";
import {
  type Block,
  blocksOf,
  type History,
  isText,
  isToolResult,
  isToolUse,
  textOf,
} from "../messages/index.ts";
import { readSealed } from "./seal.ts";
import type { WorkingState } from "./workingState.ts";

const statementKinds = ["core", "next", "decision", "failing"] as const;

/** A statement with its rows; none where the files of the project's method say it. */
export interface EvidencedStatement {
  readonly kind: (typeof statementKinds)[number];
  readonly text: string;
  readonly rows: readonly { readonly id: string; readonly excerpt: string }[];
}

/** Characters that are shown of a row. */
const EXCERPT = 200;
/** Characters of a part of a statement by which its place in a row is found. */
const ANCHOR = 20;
const CONTEXT_BEFORE = 40;

function textOfBlock(block: Block) {
  if (isText(block)) return block.text;
  if (isToolUse(block)) return `${block.name} ${JSON.stringify(block.input)}`;
  return isToolResult(block) ? textOf(block.content) : "";
}

/** The part of a row that says it, or its beginning and its end. */
function excerptOf(row: string, statement: string) {
  const text = oneLine(row, Number.MAX_SAFE_INTEGER);
  if (text.length <= EXCERPT) return text;
  const parts = statement.split(/: | → | — /).toSorted((a, b) => b.length - a.length);
  const at = parts.map((part) => text.indexOf(part.slice(0, ANCHOR))).find((found) => found >= 0) ?? -1;
  if (at > CONTEXT_BEFORE) return `… ${oneLine(text.slice(at - CONTEXT_BEFORE), EXCERPT)}`;
  if (at >= 0) return oneLine(text, EXCERPT);
  return `${oneLine(text, EXCERPT / 2)} ${text.slice(-EXCERPT / 2)}`;
}

/** The statements of a state, each with what its rows say. */
export function evidenceOf(
  { core, next, decisions, failures }: Pick<WorkingState, "core" | "next" | "decisions" | "failures">,
  history: History,
): EvidencedStatement[] {
  const statements = [
    ...(core ? [{ kind: "core" as const, ...core }] : []),
    ...next.map((one) => ({ kind: "next" as const, ...one })),
    ...decisions.map((one) => ({ kind: "decision" as const, ...one })),
    ...failures.map((one) => ({ kind: "failing" as const, ...one })),
  ] satisfies (Statement & Pick<EvidencedStatement, "kind">)[];
  const wanted = new Set(statements.flatMap(({ rows }) => rows));
  const texts = new Map<string, string>();
  for (const item of history)
    blocksOf(item.message).forEach((block, index) => {
      const id = rowOf(item, index);
      if (wanted.has(id)) texts.set(id, `${texts.get(id) ?? ""} ${textOfBlock(block)}`);
    });
  return statements.map(({ kind, text, rows }) => ({
    kind,
    text,
    rows: rows.map((id) => ({ id, excerpt: excerptOf(texts.get(id) ?? "", text) })),
  }));
}

const LINE = "<!-- THROUGHLINE_SNAPSHOT_ROWS ";
const EVIDENCE_LINE_END = " -->";

export function evidenceLine(evidence: readonly EvidencedStatement[], redact: (text: string) => string) {
  const hidden = evidence.map(({ kind, text, rows }) => ({
    kind,
    text: redact(text),
    rows: rows.map(({ id, excerpt }) => ({ id, excerpt: redact(excerpt) })),
  }));
  // Nothing that was said can end the comment, or look like a tag.
  const json = JSON.stringify(hidden).replaceAll("--", "-\\u002d").replaceAll("<", "\\u003c");
  return `${LINE}${json}${EVIDENCE_LINE_END}`;
}

const isEvidenceRow = (value: unknown): value is EvidencedStatement["rows"][number] =>
  isObject(value) && typeof value.id === "string" && typeof value.excerpt === "string";

const isStatement = (value: unknown): value is EvidencedStatement =>
  isObject(value) &&
  statementKinds.some((kind) => kind === value.kind) &&
  typeof value.text === "string" &&
  Array.isArray(value.rows) &&
  value.rows.every(isEvidenceRow);

/** The statements of a snapshot; none for one of an older version. The last such line counts: what was said stands before it. */
export function readEvidence(text: string): EvidencedStatement[] {
  const line = text.split("\n").findLast((one) => one.startsWith(LINE) && one.endsWith(EVIDENCE_LINE_END));
  const value = parseJson(line?.slice(LINE.length, -EVIDENCE_LINE_END.length) ?? "");
  return Array.isArray(value) ? value.filter(isStatement) : [];
}

/** The statements of a snapshot that this machine wrote; none of a foreign one, or of one that is gone. */
export function statementsIn(file: string, key: Uint8Array | undefined): EvidencedStatement[] {
  if (!key) return [];
  const place = { key, project: path.dirname(path.dirname(file)), name: path.basename(file) };
  return readEvidence(readSealed(file, place) ?? "");
}
