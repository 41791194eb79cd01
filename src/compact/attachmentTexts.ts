// How attachments are worded. The marks in angle brackets are how they are known again.
import type { InvokedSkill, RunningTask } from "../activity/index.ts";
import { firstCharacters } from "../lib/index.ts";
import { blocksOf, type History, type HistoryItem, isText, isToolResult, textOf } from "../messages/index.ts";
import { estimateText, type TokenizerFamily } from "../tokens/index.ts";
import { cutToTokens } from "./cut.ts";

const marks =
  /^<(?:attachment|plan|invoked skills|plan mode|task status|deferred tools delta|agent listing delta|mcp instructions delta): /;

/** True for a message that a compaction attached. Its contents were in the conversation before, or can be had again. */
export function isAttachment({ message, meta }: HistoryItem): boolean {
  if (meta !== true || blocksOf(message).some(isToolResult)) return false;
  return marks.test(textOf(message.content));
}

/** A plan of one line stands in the mark; a longer one below its title. */
export function planText(plan: string): string {
  const text = plan.trim();
  const title = (text.split("\n", 1)[0] ?? "").replace(/^#+\s*/, "").trim();
  return text.includes("\n") ? `<plan: ${title}>\n${text}` : `<plan: ${title}>`;
}

export function planModeText(): string {
  return "<plan mode: on>\nPlan mode is still on: look and plan, and change nothing before the user has approved the plan.";
}

export function taskText(tasks: readonly RunningTask[]): string | undefined {
  if (tasks.length === 0) return undefined;
  const lines = tasks.map(({ id, about }) => `- ${id}: ${firstCharacters(about.replace(/\s+/g, " "), 200)}`);
  return `<task status: ${tasks.length} running>\nThese work on in the background; do not start them again.\n${lines.join("\n")}`;
}

/** What was added and what is gone; undefined without a change, or when one of the lists is not known. */
export function namesDeltaText(
  mark: string,
  before: readonly string[] | undefined,
  now: readonly string[] | undefined,
): string | undefined {
  if (!before || !now) return undefined;
  const changes = [
    ...now.filter((name) => !before.includes(name)).map((name) => `+${name}`),
    ...before.filter((name) => !now.includes(name)).map((name) => `-${name}`),
  ];
  return changes.length === 0 ? undefined : `<${mark}: ${changes.join(", ")}>`;
}

type Instructions = Readonly<Record<string, string>>;

export function mcpDeltaText(
  before: Instructions | undefined,
  now: Instructions | undefined,
): string | undefined {
  if (!before || !now) return undefined;
  const fresh = Object.keys(now).filter((server) => now[server] !== before[server]);
  const gone = Object.keys(before).filter((server) => now[server] === undefined);
  if (fresh.length === 0 && gone.length === 0) return undefined;
  const changes = [
    ...fresh.map((server) => `${before[server] === undefined ? "+" : "~"}${server}`),
    ...gone.map((server) => `-${server}`),
  ];
  const texts = fresh.map((server) => `[${server}]\n${now[server] ?? ""}`);
  return [`<mcp instructions delta: ${changes.join(", ")}>`, ...texts].join("\n");
}

interface SkillRoom {
  readonly all: number;
  readonly each: number;
  readonly family: TokenizerFamily;
}

/** The names of all skills, and the instructions of as many as there is room for, unless they are still in view. */
export function skillParts(skills: readonly InvokedSkill[], kept: History, room: SkillRoom): string[] {
  if (skills.length === 0) return [];
  const { all, each, family } = room;
  const parts = [`<invoked skills: ${skills.map(({ name }) => name).join(", ")}>`];
  let left = all - estimateText(parts.join(), family);
  for (const { name, content } of skills) {
    if (content === undefined || isInView(content, kept)) continue;
    const text = cutToTokens(
      `<skill: ${name}>\n${content}`,
      Math.min(each, left),
      family,
      "(the skill goes on)",
    );
    if (text === undefined) continue;
    left -= estimateText(text, family);
    parts.push(text);
  }
  return parts;
}

function isInView(text: string, kept: History) {
  return kept.some(({ message }) =>
    blocksOf(message).some((block) => isText(block) && block.text.includes(text)),
  );
}
