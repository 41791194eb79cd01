// The rules a memory is held to before it is saved, and again by lint: its shape, its words, its dates.

import { absoluteDates } from "../../dates/index.ts";
import { isTime } from "../folder/frontmatter.ts";
import { type MemoryContent, memoryLimits, memoryTypes } from "../folder/model.ts";
import { thresholds } from "./thresholds.ts";

/** What a caller says of a memory. */
export type MemoryDraft = Pick<
  MemoryContent,
  "name" | "description" | "type" | "body" | "session" | "turn" | "expires"
>;

/** Words that could stand before any memory. */
const GENERIC = new Set(
  `a about all an and any are as at be by code context current data database description detail details etc few file files
  for general good handy helpful how important in info information is it item items its key knowledge later learned main
  memory misc miscellaneous more my note noted notes of on other our overview preference preferences project
  random reference related relevant remember reminder repo repository setting settings setup several some something stuff
  summary system that the there these thing things this those to topic useful user various we what when which with work
  working`.split(/\s+/),
);
const GENERIC_CHINESE =
  /相关|信息|内容|笔记|记录|东西|一些|关于|有关|说明|概述|总结|备注|注意事项|情况|问题|数据库|项目|代码|用户|偏好|设置|配置|重要|其他|各种|的|和|与|、|，|。/g;

/** Whether a description names nothing in particular: "database stuff", "数据库相关". */
export function isAbstract(description: string) {
  const words = description.match(/[\p{Script=Latin}\p{N}][\p{L}\p{N}_./-]*/gu) ?? [];
  const specific = words.filter((word) => !GENERIC.has(word.toLowerCase()) && word.length > 1);
  const chinese = [...(description.match(/[\p{Script=Han}]/gu) ?? [])].join("").replace(GENERIC_CHINESE, "");
  const { specificWords, specificCharacters } = thresholds;
  return specific.length < specificWords && specific.length * 2 + chinese.length < specificCharacters;
}

/** A label in bold and words behind it, or below it before the next label. */
const part = (label: string) =>
  new RegExp(
    `^\\s*(?:[-*] )?\\*\\*${label}\\s*(?:[:：]\\*\\*|\\*\\*\\s*[:：])(?:[^\\S\\n]*\\S|\\s*\\n\\s*(?!(?:[-*] )?\\*\\*)\\S)`,
    "im",
  );
const WHY = part("Why");
const HOW = part("How to apply");

/** What a feedback memory lacks of its three parts. */
export function missingParts(body: string) {
  const rule =
    body
      .trim()
      .split(/^\s*(?:[-*] )?\*\*(?:Why|How to apply)/im)[0]
      ?.trim() ?? "";
  return [
    ...(rule === "" ? ["the rule itself, first"] : []),
    ...(WHY.test(body) ? [] : ["a line that begins with **Why:**"]),
    ...(HOW.test(body) ? [] : ["a line that begins with **How to apply:**"]),
  ];
}

interface RuleBreak {
  readonly kind: "schema" | "feedback-shape";
  readonly problem: string;
  readonly fix: string;
}

const isOneLine = (text: string) => !/[\r\n\u2028\u2029]/.test(text);

/** What keeps a draft from being a memory at all. */
export function rulesBroken(draft: MemoryDraft) {
  const { name, description, type, body } = draft;
  const broken: RuleBreak[] = [];
  const schema = (problem: string, fix: string) => {
    broken.push({ kind: "schema", problem, fix });
  };
  if (!memoryTypes.includes(type))
    schema(`${JSON.stringify(type)} is no type`, `choose one of ${memoryTypes.join(", ")}`);
  for (const [what, text, most] of [
    ["name", name, memoryLimits.nameCharacters],
    ["description", description, memoryLimits.descriptionCharacters],
  ] as const) {
    if (text.trim() === "") schema(`the ${what} is empty`, `give it a ${what}`);
    else if (!isOneLine(text)) schema(`the ${what} has more than one line`, "keep it to one line");
    else if ([...text].length > most) schema(`the ${what} has more than ${most} characters`, "shorten it");
  }
  if (Buffer.byteLength(body) > memoryLimits.memoryBytes)
    schema(`it has more than ${memoryLimits.memoryBytes} bytes`, "keep the fact, and point at the document");
  if (body.trim() === "") schema("it says nothing", "give it a body");
  if ([name, description, body].some((text) => text.includes("\0")))
    schema("it holds a NUL", "keep text in memories");
  for (const id of [draft.session, draft.turn])
    if (id !== undefined && !/^[\w.:-]{1,100}$/.test(id))
      schema(`${JSON.stringify(id)} is no id`, "give the id alone");
  if (draft.expires !== undefined && !isTime(draft.expires))
    schema(`${JSON.stringify(draft.expires)} is no date`, "write dates as 2026-03-01");
  const missing = type === "feedback" && body.trim() !== "" ? missingParts(body) : [];
  if (missing.length > 0)
    broken.push({
      kind: "feedback-shape",
      problem: `feedback lacks ${missing.join(" and ")}`,
      fix: "say the rule, why it is one (so that edge cases can be judged), and how to apply it",
    });
  return broken;
}

/** Project memories outlive the week they were written in. */
export function datedBody(
  { type, description, body }: MemoryDraft,
  now: number,
  timeZone?: string,
): { body: string; description: string; changes: { from: string; to: string }[] } {
  if (type !== "project") return { body, description, changes: [] };
  const [inBody, inDescription] = [
    absoluteDates(body, now, timeZone),
    absoluteDates(description, now, timeZone),
  ];
  return {
    body: inBody.text,
    description: inDescription.text,
    changes: [...inDescription.changes, ...inBody.changes],
  };
}
