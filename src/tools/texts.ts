// Answers as text: one line an entry, quotations below it, inside the mark by which our own words are known again.
import { randomBytes } from "node:crypto";
import { lineOf, typeIcons } from "../inject/index.ts";
import {
  defined,
  errorText,
  minuteOf,
  observationTypes,
  ownContextMark,
  ThroughlineError,
} from "../lib/index.ts";
import { inert, quoted } from "../redact/index.ts";
import type { Hit } from "../search/index.ts";
import { frame } from "./words.ts";

const WITHHELD = "(title withheld: it reads like an instruction)";

const iconOf = (type: string | undefined) => {
  const known = observationTypes.find((one) => one === type);
  return known === undefined ? "" : `${typeIcons[known]} ${known}`;
};

function labelOf({ kind, type, speaker }: Hit) {
  if (kind === "observation") return iconOf(type);
  return kind === "message" ? `message of ${lineOf(speaker ?? "", "unknown")}` : kind;
}

export function hitText(hit: Hit): string {
  const head = [
    hit.ref,
    minuteOf(hit.at),
    labelOf(hit),
    `~${hit.tokens} tokens`,
    lineOf(hit.title, WITHHELD),
  ];
  const body = hit.text ?? hit.excerpt;
  return [head.join(" · "), ...(body === undefined ? [] : [quoted(body)])].join("\n");
}

/** The same as data. Claude Code shows a model this and not the text, so that nothing in it may pass for more than a quotation. */
export function hitData(hit: Hit) {
  const { ref, kind, at, tokens, type, excerpt, text, files } = hit;
  return {
    id: ref,
    kind,
    at,
    title: lineOf(hit.title, WITHHELD),
    tokens,
    ...defined({
      type,
      files: files?.slice(0, 20).map((file) => lineOf(file, WITHHELD)),
      excerpt: excerpt && inert(excerpt),
      text: text && inert(text),
    }),
  };
}

/** Hooks leave out what stands between these marks: what we told a model is not news. */
export function framed(kind: string, parts: readonly string[]): string {
  const nonce = randomBytes(4).toString("hex");
  return [
    `<${ownContextMark.name} kind="${kind}" nonce="${nonce}">`,
    frame.intro,
    ...parts,
    `End of ${kind} ${nonce}.`,
    ownContextMark.close,
  ].join("\n");
}

/** A failure as a model reads it: what happened, and what can be done. */
export function describeFailure(error: unknown): string {
  const fix = error instanceof ThroughlineError ? error.fix : undefined;
  return fix === undefined ? errorText(error) : `${errorText(error)} (${fix})`;
}
