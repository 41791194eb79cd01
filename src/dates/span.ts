// Times in words as spans: `yesterday`, `last Friday`, `2d`, `since Monday`, `上周五`, a date. One reader for commands, tools, HTTP and questions.
import { HOUR, MINUTE } from "../lib/index.ts";
import { parseCount } from "./absolute.ts";

/** Epochs; `from` is in, `to` is out. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

type Unit = "day" | "week" | "month" | "year";

/** A day of the calendar on the wall, at its beginning; `days` may be any number. */
function dayAt(now: number, days = 0) {
  const at = new Date(now);
  return new Date(at.getFullYear(), at.getMonth(), at.getDate() + days).getTime();
}

const days = (now: number, first: number, count = 1): TimeSpan => ({
  from: dayAt(now, first),
  to: dayAt(now, first + count),
});

/** 0 is Monday. */
const weekdayOf = (now: number) => (new Date(now).getDay() + 6) % 7;

/** The week, month or year that lies so many of them away. */
function periodAt(now: number, unit: Unit, away: number): TimeSpan {
  if (unit === "day") return days(now, away);
  if (unit === "week") return days(now, away * 7 - weekdayOf(now), 7);
  const at = new Date(now);
  const start = (step: number) =>
    unit === "month"
      ? new Date(at.getFullYear(), at.getMonth() + away + step, 1).getTime()
      : new Date(at.getFullYear() + away + step, 0, 1).getTime();
  return { from: start(0), to: start(1) };
}

/** Everything since so many units ago, by the clock for hours and minutes, by the calendar for the rest. */
function last(now: number, count: number, unit: string): TimeSpan {
  if (/^(?:m(?:in|$)|分)/i.test(unit)) return { from: now - count * MINUTE, to: now };
  if (/^(?:h|小时|个小时|钟头)/i.test(unit)) return { from: now - count * HOUR, to: now };
  return { from: backBy(now, count, unit), to: now };
}

function backBy(now: number, count: number, unit: string) {
  const at = new Date(now);
  const back = (months: number) => new Date(at.getFullYear(), at.getMonth() - months, at.getDate()).getTime();
  if (/^(?:w|周|星期|礼拜)/i.test(unit)) return dayAt(now, -7 * count);
  if (/^(?:mo|月)/i.test(unit)) return back(count);
  return /^(?:y|年)/i.test(unit) ? back(12 * count) : dayAt(now, -count);
}

/** The day that lies so many units ago. */
const ago = (now: number, count: number, unit: string): TimeSpan =>
  /^(?:m(?:in|$)|分|h|小时|个小时)/i.test(unit) ? last(now, count, unit) : days(backBy(now, count, unit), 0);

const weekdayNames = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const chineseWeekdays = "一二三四五六日天";

/** The latest such day that has begun; `isPast`: today is not meant. */
function weekday(now: number, wanted: number, isPast: boolean): TimeSpan {
  const back = (weekdayOf(now) - wanted + 7) % 7;
  return days(now, -(back === 0 && isPast ? 7 : back));
}

const monthNames = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** A day, or a whole month; without a year the latest that has begun. */
function dateSpan(now: number, year: string | undefined, month: number, day: string | undefined): TimeSpan {
  const of = (one: number): TimeSpan => ({
    from: new Date(one, month, Number(day ?? 1)).getTime(),
    to:
      day === undefined
        ? new Date(one, month + 1, 1).getTime()
        : new Date(one, month, Number(day) + 1).getTime(),
  });
  const current = new Date(now).getFullYear();
  if (year !== undefined) return of(Number(year));
  return of(current).from <= now ? of(current) : of(current - 1);
}

const unitOf = (word: string): Unit =>
  /^(?:w|周|星期|礼拜)/i.test(word)
    ? "week"
    : /^(?:mo|月)/i.test(word)
      ? "month"
      : /^(?:y|年)/i.test(word)
        ? "year"
        : "day";

type SpanRule = readonly [
  pattern: string,
  span: (now: number, groups: readonly (string | undefined)[]) => TimeSpan,
];

const COUNT = "\\d{1,4}|an?|one|two|three|four|five|six|seven|eight|nine|ten";
const CHINESE_COUNT = "\\d{1,4}|[一二三四五六七八九十两]{1,3}";
const UNIT = "minutes?|mins?|hours?|days?|weeks?|months?|years?";
const CHINESE_UNIT = "分钟|个?小时|天|个?星期|个?礼拜|周|个?月|年";
const WEEKDAY = "(mon|tue|wed|thu|fri|sat|sun)(?:day|s?day|nesday|rsday|urday|s|rs)?";
const MONTH =
  "(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)(?:uary|ruary|ch|il|e|y|ust|t|tember|ober|ember)?";
const DAY_NUMBER = "(\\d{1,2})(?:st|nd|rd|th)?";
const bare = (unit: string) => unit.replace(/^个/, "");

/** Relative to now. Longer forms come first. */
const relative: readonly SpanRule[] = [
  ["(?:the )?day before yesterday|(?<!大)前天", (now) => days(now, -2)],
  ["大前天", (now) => days(now, -3)],
  ["yesterday|昨[天日晚]", (now) => days(now, -1)],
  ["today|this (?:morning|afternoon|evening)|今[天日晚早]", (now) => days(now, 0)],
  [`(${COUNT}) ?(${UNIT}) ago`, (now, [count = "", unit = ""]) => ago(now, parseCount(count), unit)],
  [
    `(?:the )?(?:last|past) (${COUNT}) (${UNIT})`,
    (now, [count = "", unit = ""]) => last(now, parseCount(count), unit),
  ],
  [
    `(${CHINESE_COUNT})(${CHINESE_UNIT})(?:之|以)?前`,
    (now, [count = "", unit = ""]) => ago(now, parseCount(count), bare(unit)),
  ],
  [
    `(?:最近|过去|近)的?(${CHINESE_COUNT})(${CHINESE_UNIT})`,
    (now, [count = "", unit = ""]) => last(now, parseCount(count), bare(unit)),
  ],
  [`last ${WEEKDAY}`, (now, [name = ""]) => weekday(now, weekdayNames.indexOf(name.toLowerCase()), true)],
  [
    "(上上|上|这|本)?(?:个?(?:周|星期|礼拜))([一二三四五六日天])",
    (now, [which, name = ""]) => {
      const wanted = Math.min(6, chineseWeekdays.indexOf(name));
      if (which === undefined) return weekday(now, wanted, false);
      const weeks = which === "上上" ? 2 : which === "上" ? 1 : 0;
      return days(now, wanted - weekdayOf(now) - 7 * weeks);
    },
  ],
  [
    "(this|last|past) (week|month|year)",
    (now, [which = "", unit = ""]) => periodAt(now, unitOf(unit), /^this/i.test(which) ? 0 : -1),
  ],
  [
    "(上上|上|这|本)个?(周|星期|礼拜|月)",
    (now, [which = "", unit = ""]) =>
      periodAt(now, unitOf(unit), which === "上上" ? -2 : which === "上" ? -1 : 0),
  ],
  ["(今|去|前)年", (now, [which = ""]) => periodAt(now, "year", -"今去前".indexOf(which))],
];

/** `Monday` in a question is a day only after such a word: it may be a name, or a habit. */
const namedDay: SpanRule = [
  WEEKDAY,
  (now, [name = ""]) => weekday(now, weekdayNames.indexOf(name.toLowerCase()), false),
];

const dates: readonly SpanRule[] = [
  [
    "(\\d{4})-(\\d\\d)(?:-(\\d\\d))?(?![-\\dT])",
    (now, [year, month, day]) => dateSpan(now, year, Number(month) - 1, day),
  ],
  [
    "(?:(\\d{4})年)?(\\d{1,2})月(?:(\\d{1,2})[日号])?",
    (now, [year, month, day]) => dateSpan(now, year, Number(month) - 1, day),
  ],
  [
    `${MONTH} ${DAY_NUMBER}(?:,? (\\d{4}))?`,
    (now, [name = "", day, year]) => dateSpan(now, year, monthNames.indexOf(name.toLowerCase()), day),
  ],
  [
    `${DAY_NUMBER}(?: of)? ${MONTH}(?:,? (\\d{4}))?`,
    (now, [day, name = "", year]) => dateSpan(now, year, monthNames.indexOf(name.toLowerCase()), day),
  ],
  [
    `${MONTH}(?: (\\d{4}))?`,
    (now, [name = "", year]) => dateSpan(now, year, monthNames.indexOf(name.toLowerCase()), undefined),
  ],
];

/** `2d`, `3h`, `90m`, `1w`: since then. */
const short: SpanRule = [
  "(\\d{1,4})(mo|[mhdwy])",
  (now, [count = "", unit = ""]) => last(now, Number(count), unit),
];

/** Words of Latin letters stand alone; Chinese ones need no space. */
const edged = (pattern: string) => `(?<![A-Za-z0-9])(?:${pattern})(?![A-Za-z0-9])`;

function matchRule([pattern, span]: SpanRule, text: string, now: number, whole: boolean) {
  const found = new RegExp(whole ? `^(?:${pattern})$` : edged(pattern), "i").exec(text);
  if (found === null) return undefined;
  const range = span(now, found.slice(1));
  if (Number.isNaN(range.from) || Number.isNaN(range.to)) return undefined;
  return { range, index: found.index, length: found[0].length };
}

const exactTime = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)?$/i;

/** A text that is a time and nothing else; undefined for any other. A moment is an empty span. */
export function readTimeSpan(text: string, now: number): TimeSpan | undefined {
  const trimmed = text.trim().replace(/^(?:since|on|from|in) /i, "");
  if (exactTime.test(trimmed)) {
    const at = Date.parse(trimmed);
    return Number.isNaN(at) ? undefined : { from: at, to: at };
  }
  for (const rule of [short, ...relative, namedDay, ...dates]) {
    const found = matchRule(rule, trimmed, now, true);
    if (found) return found.range;
  }
  return undefined;
}

const sinceBefore = /(?:\bsince|\bfrom|自从?|从)\s*$/i;
const untilBefore = /(?:\bbefore|\buntil|\btill)\s*$/i;
const sinceAfter = /^\s*(?:以来|开始|起|至今)/;
const dayBefore = /(?:\bsince|\bon|\bbefore|\bafter|\buntil)\s+$/i;

/** The span that a question names relative to now, and its text without it. A date of the calendar is not hidden: it ranks. */
export function spanInQuestion(
  text: string,
  now: number,
): { readonly span: TimeSpan; readonly rest: string } | undefined {
  for (const rule of [...relative, namedDay]) {
    const found = matchRule(rule, text, now, false);
    if (!found) continue;
    const before = text.slice(0, found.index);
    const after = text.slice(found.index + found.length);
    if (rule === namedDay && !dayBefore.test(before)) continue;
    const { range } = found;
    const isSince = sinceBefore.test(before) || sinceAfter.test(after);
    const span = isSince
      ? { from: range.from, to: now }
      : untilBefore.test(before)
        ? { from: 0, to: range.from }
        : range;
    const rest = `${before
      .replace(sinceBefore, " ")
      .replace(untilBefore, " ")
      .replace(/\bon\s*$/i, " ")} ${after.replace(sinceAfter, " ")}`;
    return { span, rest: rest.trim() };
  }
  return undefined;
}
