// Hits as lines for a person: when, what, where, and as much of the text as was asked for.
import { typeIcons } from "../../inject/index.ts";
import type { Hit } from "../../search/index.ts";
import { columns } from "../output.ts";
import { paint, screenOf } from "../terminal.ts";
import { widthOf, wrapped } from "../width.ts";
import { localMinute } from "../wording.ts";

const icons: Readonly<Record<string, string>> = typeIcons;

const kinds: Readonly<Record<string, string>> = {
  summary: "summary",
  prompt: "prompt",
  message: "message",
  memory: "memory",
};

function label({ kind, type, speaker }: Hit): string {
  if (kind === "observation") return `${icons[type ?? ""] ?? "•"} ${type}`;
  return kind === "message" ? `${speaker}` : (kinds[kind] ?? kind);
}

function explanation({ score, matched = [], why }: Hit): string[] {
  if (why === undefined) return [];
  const parts = why.map(({ signal, points }) => `${signal} ${points.toFixed(2)}`);
  return [`    = ${score} (${parts.join(", ")}); words: ${matched.join(" ") || "none of its own"}`];
}

/** What a text says beyond its title, which stands above it; a title that was cut goes on where it ended. */
function beyondTitle(text: string, title: string): string {
  const begun = title.replace(/…$/, "");
  if (!text.startsWith(begun)) return text;
  const rest = text.slice(begun.length).trim();
  return begun === title || rest === "" ? rest : `…${rest}`;
}

/** The lines of a text, none of them twice in a row. */
function wholeText(text: string, title: string): string[] {
  const lines = text.split("\n").filter((line, at, all) => line !== all[at - 1]);
  return (lines[0] === title ? lines.slice(1) : lines).map((line) => `    ${line}`.trimEnd());
}

const NARROWEST = 20;

const headOf = (head: string, title: string, terminal: number): string =>
  hanging(head.slice(0, head.length - title.length), title, terminal);

/** A text broken to end at the terminal's edge, and to go on below where it began. */
function hanging(before: string, text: string, terminal: number): string {
  const start = widthOf(before);
  const room = Math.max(NARROWEST, terminal - start);
  return before + wrapped(text, room).join(`\n${" ".repeat(start)}`);
}

/** One line an item, and below it what the layer brings. Where it is no terminal, no line is broken. */
export function hitLines(
  hits: readonly Hit[],
  marked?: string,
  terminal = screenOf("stdout").columns ?? Number.POSITIVE_INFINITY,
): string {
  const heads = columns(
    hits.map((hit) => [
      hit.ref === marked ? `▶ ${hit.ref}` : hit.ref,
      localMinute(hit.at),
      label(hit),
      `~${hit.tokens}`,
      hit.title,
    ]),
  ).split("\n");
  return hits
    .flatMap((hit, at) => [
      paint("bold", headOf(heads[at] ?? "", hit.title, terminal)),
      ...[beyondTitle(hit.excerpt ?? "", hit.title)]
        .filter(Boolean)
        .map((text) => hanging("    ", text, terminal)),
      ...(hit.text === undefined ? [] : wholeText(hit.text, hit.title)),
      ...explanation(hit),
    ])
    .join("\n");
}
