// Renders answers as text: one line per entry with quotations below it, inside the mark of our own output.
import { randomBytes } from "node:crypto";
import type { Errors } from "../errorBook/index.ts";
import { lineOf, typeIcons } from "../inject/index.ts";
import {
  defined,
  errorText,
  minuteOf,
  observationTypes,
  ownContextMark,
  present,
  ThroughlineError,
} from "../lib/index.ts";
import { staleBanner, trustSection } from "../memdir/index.ts";
import { inert, quoted } from "../redact/index.ts";
import type { Hit } from "../search/index.ts";
import { estimateText } from "../tokens/index.ts";
import { frame } from "./words.ts";

const WITHHELD = "(title withheld: it reads like an instruction)";

const typeIcon = (type: string | undefined) => {
  const known = observationTypes.find((one) => one === type);
  return known === undefined ? "" : `${typeIcons[known]} ${known}`;
};

function hitLabel({ kind, type, speaker }: Hit) {
  if (kind === "observation") return typeIcon(type);
  return kind === "message" ? lineOf(speaker ?? "", "unknown") : kind;
}

const MOST_HIT_EVIDENCE = 5;
const staleLines = ({ stale = [] }: Hit) =>
  stale.slice(0, MOST_HIT_EVIDENCE).map((evidence) => lineOf(evidence, "withheld"));

/** The banner above a memory that no longer holds. */
function staleBannerOf(hit: Hit) {
  const checked = staleLines(hit).map((evidence) => ({ standing: "stale", evidence }) as const);
  return checked.length > 0 && staleBanner({ standing: "stale", checked }, "en")?.trimEnd();
}

export function hitText(hit: Hit) {
  const head = present([
    hit.ref,
    minuteOf(hit.at),
    hitLabel(hit),
    `~${hit.tokens} tokens`,
    hit.standing,
    lineOf(hit.title, WITHHELD),
  ]);
  const body = hit.text ?? hit.excerpt;
  const beside = hit.neighbours && `beside it: ${refsBeside(hit)?.join(" ")}`;
  return present([head.join(" · "), staleBannerOf(hit), body !== undefined && quoted(body), beside]).join(
    "\n",
  );
}

const refsBeside = ({ neighbours }: Hit) => neighbours?.map(({ ref }) => ref);

/** What a hit of an index may cost, by the dearest tokenizer. */
const BRIEF_TOKENS = 50;
const SHORTEST_TITLE = 8;
const SHORTER_BY = 4;

/**
 * A hit of an index: at most 50 tokens as text and as data, so its title may be cut at the end of a word. How far a memory can be
 * relied on is said beyond that. Its files are left out; `get_observations` has them.
 */
export function briefly({ files: _files, ...hit }: Hit): Hit {
  const { standing: _standing, stale: _stale, ...counted } = hit;
  const signs = [...hit.title];
  const cut = (length: number) =>
    length >= signs.length
      ? hit.title
      : `${signs
          .slice(0, length)
          .join("")
          .replace(/\s+\S*$/, "")}…`;
  const costs = (title: string) => {
    const shown = { ...counted, title };
    return [hitText(shown), JSON.stringify(indexRow(shown))].map((said) => estimateText(said, "new"));
  };
  let length = signs.length;
  while (length > SHORTEST_TITLE && Math.max(...costs(cut(length))) > BRIEF_TOKENS) length -= SHORTER_BY;
  return { ...hit, title: cut(length) };
}

/** What the rows of an index have, in this order; `standing` of memories only. */
const columns = ["id", "at", "type", "title", "tokens", "standing"] as const;

/** A hit of an index as data: a row of values, since names of fields would cost as much as what they hold. */
export function indexRow(hit: Hit): (string | number)[] {
  const label = hit.type ?? hitLabel(hit);
  const standing = present([hit.standing, ...staleLines(hit).map((line) => `stale: ${line}`)]).join("; ");
  const row = [hit.ref, minuteOf(hit.at), label, lineOf(hit.title, WITHHELD), hit.tokens];
  return standing === "" ? row : [...row, standing];
}

export const indexData = (hits: readonly Hit[]) => ({ columns: [...columns], items: hits.map(indexRow) });

/** The section that goes with memories whose texts are shown; undefined where there are none. */
export const adviceFor = (hits: readonly Hit[]) =>
  hits.some(({ standing }) => standing !== undefined) ? trustSection("en").trim() : undefined;

/** The same as data. Claude Code shows a model this instead of the text, so everything in it is made inert too. */
export function hitData(hit: Hit) {
  const { ref, kind, at, tokens, type, excerpt, text, files, standing, stale } = hit;
  return defined({
    id: ref,
    kind,
    at,
    title: lineOf(hit.title, WITHHELD),
    tokens,
    type,
    standing,
    stale: stale && staleLines(hit),
    files: files?.slice(0, 20).map((file) => lineOf(file, WITHHELD)),
    excerpt: excerpt && inert(excerpt),
    text: text && inert(text),
    neighbours: refsBeside(hit),
  });
}

const MOST_FIX_FILES = 6;

/** An entry of the error book as data, made inert. Its id names the observation of the turn that fixed it. */
export function errorData({
  refs,
  lastAt,
  message,
  subject,
  command,
  seen,
  state,
  fix,
  ...entry
}: Errors["items"][number]) {
  const line = (text: string) => lineOf(text, "(withheld)");
  const files = [...(fix?.files ?? []), ...(fix?.commands ?? [])].slice(0, MOST_FIX_FILES).map(line);
  const changed = fix && `fixed by ${files.join(", ")}${fix.commit ? ` (${line(fix.commit)})` : ""}`;
  const text = present([
    `seen ${seen}×, ${state}`,
    changed ?? (state === "passed" && "passed again with nothing changed"),
    `$ ${line(command)}`,
  ]).join("; ");
  return {
    id: refs[0] ?? "",
    kind: "error",
    at: lastAt,
    title: line(present([subject, message]).join(": ") || `${command} failed`),
    type: entry.class,
    tokens: estimateText(text, "new"),
    text,
  };
}

export const errorLines = ({ id, at, type, title, text }: ReturnType<typeof errorData>) =>
  `${present([id, minuteOf(at), type, title]).join(" · ")}\n${quoted(text)}`;

/** Hooks do not capture what is between these marks: our own answers are not new events. */
export function framed(kind: string, parts: readonly (string | false)[]) {
  const nonce = randomBytes(4).toString("hex");
  return present([
    `<${ownContextMark.name} kind="${kind}" nonce="${nonce}">`,
    frame.intro,
    ...parts,
    `End of ${kind} ${nonce}.`,
    ownContextMark.close,
  ]).join("\n");
}

/** A failure as a model reads it: what happened, and what can be done. */
export function describeFailure(error: unknown) {
  const fix = error instanceof ThroughlineError ? error.fix : undefined;
  return fix === undefined ? errorText(error) : `${errorText(error)} (${fix})`;
}
