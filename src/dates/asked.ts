// Dates in a question, and how well the time of an entry agrees with them.
import { DAY, defined } from "../lib/index.ts";

export interface AskedDate {
  readonly year?: number;
  /** 0 is January. */
  readonly month?: number;
  readonly day?: number;
}

const monthNames = "january february march april may june july august september october november december";
const months = monthNames.split(" ");
const spelled = `${months.join("|")}|jan|feb|apr|jun|jul|aug|sept|sep|oct|nov|dec`;
const dayAndMonth = new RegExp(
  `\\b(?:(\\d{1,2})(?:st|nd|rd|th)?(?: of)? )?(${spelled})\\b\\.?(?: (\\d{1,2})(?:st|nd|rd|th)?\\b)?(?:,? (\\d{4})\\b)?`,
  "g",
);
const numbers = /\b(20\d\d)(?:-(\d\d)(?:-(\d\d))?)?\b/g;
const chineseDates = /(?:(\d{4})年)?(\d{1,2})月(?:(\d{1,2})[日号])?/g;
/** `may` is a word far more often than a month. */
const mayAsMonth = /\b(?:in|on|of|during|since|by|until|last|this|early|late|mid) may\b/;

function asked(year: string | undefined, month: number | undefined, day: string | undefined): AskedDate {
  const numberOf = (text: string | undefined) => (text === undefined ? undefined : Number(text));
  return defined({ year: numberOf(year), month, day: numberOf(day) });
}

export function datesIn(text: string): AskedDate[] {
  const lower = text.toLowerCase();
  const found: AskedDate[] = [];
  for (const [, before, name = "", after, year] of lower.matchAll(dayAndMonth)) {
    const isBare = before === undefined && after === undefined && year === undefined;
    if (name === "may" && isBare && !mayAsMonth.test(lower)) continue;
    found.push(
      asked(
        year,
        months.findIndex((month) => month.startsWith(name.slice(0, 3))),
        before ?? after,
      ),
    );
  }
  if (found.length === 0) {
    for (const [, year, month, day] of lower.matchAll(numbers))
      found.push(asked(year, month === undefined ? undefined : Number(month) - 1, day));
  }
  for (const [, year, month, day] of text.matchAll(chineseDates))
    found.push(asked(year, Number(month) - 1, day));
  return found;
}

/** Entries about a day are made on it or within the week after; entries about a month, in it or right after it. */
function agreement({ year, month, day }: AskedDate, at: Date) {
  const inYear = year === undefined || at.getUTCFullYear() === year;
  if (month === undefined) return inYear ? 1 : 0;
  const inMonth = at.getUTCMonth() === month;
  const yearPart = year === undefined ? 0 : 1;
  if (day === undefined) {
    const isRightAfter = at.getUTCMonth() === (month + 1) % 12 && at.getUTCDate() <= 7;
    return ((inMonth ? 2 : isRightAfter ? 1 : 0) + (inYear ? yearPart : 0)) / (2 + yearPart);
  }
  const days = (at.getTime() - Date.UTC(year ?? at.getUTCFullYear(), month, day)) / DAY;
  const near = days >= -1 && days < 2 ? 3 : days >= -2 && days < 8 ? 2 : inMonth ? 1 : 0;
  return (near + (inYear ? yearPart : 0)) / (3 + yearPart);
}

/** From 0 to 1; 0 when no date was asked for. */
export function dateAgreement(dates: readonly AskedDate[], atEpoch: number): number {
  const at = new Date(atEpoch);
  return dates.reduce((best, date) => Math.max(best, agreement(date, at)), 0);
}
