// What a person is told of damage: one line, in their language.

import type { Home, Language } from "../home/index.ts";
import { type Clock, errorText } from "../lib/index.ts";
import type { Logger } from "../log/index.ts";
import { type DamageSummary, damageFolders, readReport, summaryOf, total, writeReport } from "./report.ts";

const number = (count: number, language: Language): string =>
  count.toLocaleString(language === "zh" ? "zh-CN" : "en-US");

interface Words {
  readonly begun: string;
  readonly reading: (percent: number) => string;
  readonly whole: (held: string) => string;
  readonly partly: (back: string, held: string, missing: string) => string;
  readonly unknown: (back: string) => string;
  readonly details: string;
}

const words: Readonly<Record<Language, Words>> = {
  en: {
    begun: "Throughline: the database was damaged and was set aside.",
    reading: (percent) => `Its rows are being brought back (${percent}% of the file is read).`,
    whole: (held) => `All ${held} rows are back.`,
    partly: (back, held, missing) => `${back} of ${held} rows are back, ${missing} are missing.`,
    unknown: (back) => `${back} rows are back; how many there were is not known.`,
    details: "Details: throughline status",
  },
  zh: {
    begun: "Throughline:数据库已损坏,已移到一旁保存。",
    reading: (percent) => `正在恢复其中的记录(已读取文件的 ${percent}%)。`,
    whole: (held) => `全部 ${held} 条记录均已恢复。`,
    partly: (back, held, missing) => `${held} 条记录中已恢复 ${back} 条,缺失 ${missing} 条。`,
    unknown: (back) => `已恢复 ${back} 条记录;原有多少条无从得知。`,
    details: "详情:throughline status",
  },
};

function outcome(
  { state, share, held, salvaged, rebuilt, missing }: DamageSummary,
  language: Language,
): string {
  const say = words[language];
  const shown = (count: number): string => number(count, language);
  if (state !== "done") return say.reading(Math.floor(share * 100));
  const back = total(salvaged) + total(rebuilt);
  if (held === null || missing === null) return say.unknown(shown(back));
  if (total(missing) === 0) return say.whole(shown(total(held)));
  return say.partly(shown(total(held) - total(missing)), shown(total(held)), shown(total(missing)));
}

function noticeOf(summary: DamageSummary, language: Language): string {
  const { begun, details } = words[language];
  return [begun, outcome(summary, language), details].join(" ");
}

/** Gives the line the first time it is asked for after damage was found, and never again. */
export function damageNotice(parts: {
  readonly home: Home;
  readonly clock: Clock;
  readonly log: Logger;
}): (language: Language) => string | undefined {
  const { home, clock, log } = parts;
  return (language) => {
    const folder = damageFolders(home).at(-1);
    const report = folder === undefined ? undefined : readReport(folder);
    if (folder === undefined || report === undefined || report.toldAt !== undefined) return undefined;
    try {
      writeReport(folder, { ...report, toldAt: new Date(clock.now()).toISOString() });
      return noticeOf(summaryOf(folder, report), language);
    } catch (error) {
      // Not told rather than told in every session.
      log.warn({ problem: errorText(error) }, "salvage.notice-failed");
      return undefined;
    }
  };
}
