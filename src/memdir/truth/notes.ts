// What is said with a memory when it is shown: how old it is, what no longer holds, and how to verify before relying on it.

import type { CheckedReference, TruthStanding } from "../../claims/index.ts";
import type { Language } from "../../home/index.ts";
import { DAY } from "../../lib/index.ts";
import type { StoredMemory } from "../folder/model.ts";

/** The heading is parsed and tested, and is the same in every language. */
export const TRUST_HEADING = "Before recommending from memory";

const trustGuidance: Readonly<Record<Language, string>> = {
  en: `A memory says what was true when it was written. That it names a thing does not mean that the thing is there now.

- It names a file: look whether the file is there.
- It names a function, a flag or a setting: search for it.
- The user is about to act on it: verify first, then recommend.
- It sums up a state (who works on what, what is broken): ask for the state of today instead.

When what you see now and a memory disagree, what you see now is right: update the memory, or remove it. A memory that cannot be verified is no reason to remove it.`,
  zh: `记忆说的是写下它的那一刻的情况。它提到某样东西，并不等于那样东西现在还在。

- 提到文件：先看文件是否还在。
- 提到函数、参数或设置：先搜索一下。
- 用户马上要据此行动：先核实，再推荐。
- 概括某种状态（谁在做什么、什么坏了）：改为查询今天的状态。

当前看到的与记忆不一致时，以当前看到的为准：更新记忆，或删除它。仅仅无法核实，不是删除的理由。`,
};

/** The section that goes with every set of memories a model is shown; a section of its own, never a point of another. */
export function trustSection(language: Language) {
  return `## ${TRUST_HEADING}\n\n${trustGuidance[language]}\n`;
}

function ageInWords(since: number, now: number, language: Language) {
  const days = Math.max(0, Math.floor((now - since) / DAY));
  if (language === "zh") return days === 0 ? "今天" : `${days} 天前`;
  return days === 0 ? "today" : days === 1 ? "1 day ago" : `${days} days ago`;
}

const timeIn = (text: string | undefined) => {
  const at = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
};

/** One line about how far a memory can be relied on. */
export function standingLine(
  memory: Pick<StoredMemory, "created" | "modifiedAt" | "lastVerified" | "trust">,
  now: number,
  language: Language,
) {
  const written = ageInWords(timeIn(memory.created) ?? memory.modifiedAt, now, language);
  const checked = timeIn(memory.lastVerified);
  const trust = memory.trust ?? "medium";
  if (language === "zh")
    return `写于${written}，${checked === undefined ? "从未核实" : `最近核实：${ageInWords(checked, now, language)}`}，可信度 ${trust}`;
  return `written ${written}, ${checked === undefined ? "never verified" : `last verified ${ageInWords(checked, now, language)}`}, trust ${trust}`;
}

/** What stands above a memory that no longer holds; undefined for one that does. */
export function staleBanner(
  {
    standing,
    checked,
  }: {
    readonly standing: TruthStanding;
    readonly checked: readonly Pick<CheckedReference, "standing" | "evidence">[];
  },
  language: Language,
) {
  if (standing !== "stale") return undefined;
  const evidence = checked.filter((each) => each.standing === "stale").map((each) => each.evidence);
  const title = language === "zh" ? "可能已过时，请先核实" : "STALE: verify before relying on this";
  return `> **${title}**\n${evidence.map((line) => `> - ${line}`).join("\n")}\n`;
}
