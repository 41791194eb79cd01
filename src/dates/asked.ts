// Dates in a question, and how well the time of an entry agrees with them.
import { DAY, defined } from "../lib/index.ts";
import { absoluteDates } from "./absolute.ts";

export interface AskedDate {
  readonly year?: number;
  /** 0 is January. */
  readonly month?: number;
  readonly day?: number;
  /** The last day, where more than one is meant. */
  readonly until?: number;
}

const monthNames = "january february march april may june july august september october november december";
const months = monthNames.split(" ");
const spelled = `${months.join("|")}|jan|feb|apr|jun|jul|aug|sept|sep|oct|nov|dec`;
const dayAndMonth = new RegExp(
  `\\b(?:(\\d{1,2})(?:st|nd|rd|th)?(?: of)? )?(${spelled})\\b\\.?(?: (\\d{1,2})(?:st|nd|rd|th)?\\b)?(?:,? (\\d{4})\\b)?`,
  "g",
);
/** `early January`, `the first week of March`: days of a month. */
const parts: readonly (readonly [words: string, from: number, until: number])[] = [
  ["(?:early|beginning of|start of)(?: in)?", 1, 10],
  ["mid(?:dle of)?[- ]?", 11, 20],
  ["(?:late|end of)(?: in)?", 21, 31],
  ["first week (?:of|in)", 1, 7],
  ["second week (?:of|in)", 8, 14],
  ["third week (?:of|in)", 15, 21],
  ["(?:fourth|last) week (?:of|in)", 22, 31],
];
const partOfMonth = new RegExp(
  `\\b(?:${parts.map(([words]) => `(${words})`).join("|")}) ?(${spelled})\\b(?! \\d{1,2}\\b)`,
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

const monthOf = (name: string) => months.findIndex((month) => month.startsWith(name.slice(0, 3)));

export function datesIn(text: string): AskedDate[] {
  const lower = text.toLowerCase();
  const found: AskedDate[] = [];
  for (const match of lower.matchAll(partOfMonth)) {
    const [, from, until] = parts[match.slice(1).findIndex((part) => part !== undefined)] ?? ["", 1, 31];
    found.push({ month: monthOf(match.at(-1) ?? ""), day: from, until });
  }
  const rest = lower.replace(partOfMonth, " ");
  for (const [, before, name = "", after, year] of rest.matchAll(dayAndMonth)) {
    const isBare = before === undefined && after === undefined && year === undefined;
    if (name === "may" && isBare && !mayAsMonth.test(lower)) continue;
    found.push(asked(year, monthOf(name), before ?? after));
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
function agreement({ year, month, day, until = day }: AskedDate, at: Date) {
  const inYear = year === undefined || at.getUTCFullYear() === year;
  if (month === undefined) return inYear ? 1 : 0;
  const inMonth = at.getUTCMonth() === month;
  const yearPart = year === undefined ? 0 : 1;
  if (day === undefined) {
    const isRightAfter = at.getUTCMonth() === (month + 1) % 12 && at.getUTCDate() <= 7;
    return ((inMonth ? 2 : isRightAfter ? 1 : 0) + (inYear ? yearPart : 0)) / (2 + yearPart);
  }
  const since = (one: number) => (at.getTime() - Date.UTC(year ?? at.getUTCFullYear(), month, one)) / DAY;
  const [first, last] = [since(day), since(until ?? day)];
  const near = first >= -1 && last < 2 ? 3 : first >= -2 && last < 8 ? 2 : inMonth ? 1 : 0;
  return (near + (inYear ? yearPart : 0)) / (3 + yearPart);
}

/** From 0 to 1; 0 when no date was asked for. */
export function dateAgreement(dates: readonly AskedDate[], atEpoch: number) {
  const at = new Date(atEpoch);
  return dates.reduce((best, date) => Math.max(best, agreement(date, at)), 0);
}

/** What is said of a day beside its date. */
const around = /\b(?:morning|afternoon|evening|night)\b|(?:上午|下午|晚上|早上)/gi;

/** The text without the words of its dates, relative ones among them. */
export function withoutDates(text: string, now: number) {
  let rest = text;
  for (const { from } of absoluteDates(text, now).changes) rest = rest.replace(from, " ");
  const inLower = (pattern: RegExp) => new RegExp(pattern.source, "gi");
  for (const pattern of [partOfMonth, dayAndMonth, numbers, chineseDates, around])
    rest = rest.replace(inLower(pattern), (found) => (/^may$/i.test(found.trim()) ? found : " "));
  return rest;
}
