// Hits as lines for a person: when, what, where, and as much of the text as was asked for.
import { typeIcons } from "../../inject/index.ts";
import { minuteOf } from "../../lib/index.ts";
import type { Hit } from "../../search/index.ts";
import { columns, paint } from "../output.ts";

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

/** One line an item, and below it what the layer brings. */
export function hitLines(hits: readonly Hit[], marked?: string): string {
  const heads = columns(
    hits.map((hit) => [
      hit.ref === marked ? `▶ ${hit.ref}` : hit.ref,
      minuteOf(hit.at),
      label(hit),
      `~${hit.tokens}`,
      hit.title,
    ]),
  ).split("\n");
  return hits
    .flatMap((hit, at) => [
      paint("bold", heads[at] ?? ""),
      ...(hit.excerpt === undefined || hit.excerpt === hit.title ? [] : [`    ${hit.excerpt}`]),
      ...(hit.text === undefined ? [] : [hit.text.replace(/^/gm, "    ")]),
      ...explanation(hit),
    ])
    .join("\n");
}
