// Hits as lines for a person: when, what, where, and as much of the text as was asked for.
import { typeIcons } from "../../inject/index.ts";
import type { Hit } from "../../search/index.ts";
import { columns, paint } from "../output.ts";
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

/** One line an item, and below it what the layer brings. */
export function hitLines(hits: readonly Hit[], marked?: string): string {
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
      paint("bold", heads[at] ?? ""),
      ...[beyondTitle(hit.excerpt ?? "", hit.title)].filter(Boolean).map((text) => `    ${text}`),
      ...(hit.text === undefined ? [] : wholeText(hit.text, hit.title)),
      ...explanation(hit),
    ])
    .join("\n");
}
