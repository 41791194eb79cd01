// Makes relative dates absolute: "by Thursday" means nothing to a session next month.
import { DAY, defined, optionalString } from "../lib/index.ts";

/** A calendar day, as the number of days since 1970. */
type CalendarDay = number;

const isoDay = (day: CalendarDay) => new Date(day * DAY).toISOString().slice(0, 10);
/** 0 is Monday. */
const weekday = (day: CalendarDay) => (((day + 3) % 7) + 7) % 7;

/** The day that it is at a time in a zone. */
function dayOf(now: number, timeZone: string | undefined) {
  const parts = new Intl.DateTimeFormat("en-CA", {
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    ...defined({ timeZone }),
  }).format(now);
  return Math.round(Date.parse(`${parts}T00:00:00Z`) / DAY);
}

/** The same day of another month, or its last one. */
function addMonths(day: CalendarDay, months: number) {
  const at = new Date(day * DAY);
  const first = Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months, 1);
  return Math.min(first / DAY + at.getUTCDate() - 1, endOfMonth(first / DAY));
}

function endOfMonth(day: CalendarDay) {
  const at = new Date(day * DAY);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 0) / DAY;
}

const endOfQuarter = (day: CalendarDay) =>
  endOfMonth(addMonths(day, 2 - (new Date(day * DAY).getUTCMonth() % 3)));
const endOfYear = (day: CalendarDay) => Date.UTC(new Date(day * DAY).getUTCFullYear(), 11, 31) / DAY;

const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const chineseWeekdays = "一二三四五六日天";
const numberWords = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
const chineseNumbers = "零一二三四五六七八九十";

export function parseCount(word: string) {
  const lower = word.toLowerCase();
  if (/^\d+$/.test(word)) return Number(word);
  if (lower === "a" || lower === "an") return 1;
  return Math.max(numberWords.indexOf(lower), chineseCount(word));
}

/** Up to 999: 十五, 二十, 一百二十. */
function chineseCount(word: string) {
  let [sum, digit] = [0, 0];
  for (const sign of word) {
    const unit = sign === "百" ? 100 : sign === "十" ? 10 : 0;
    if (unit === 0) digit = sign === "两" ? 2 : chineseNumbers.indexOf(sign);
    else {
      sum += Math.max(1, digit) * unit;
      digit = 0;
    }
  }
  return sum + digit;
}

const direction = (word: string) =>
  /^(?:next|coming|下)/i.test(word)
    ? word.startsWith("下下")
      ? 2
      : 1
    : /^(?:last|past|上)/i.test(word)
      ? -1
      : 0;

/** A weekday with "this", "next" or "last" before it; without any of them the next one that comes. */
function namedWeekday(today: CalendarDay, wanted: number, which: string) {
  const monday = today - weekday(today);
  if (/[周星期礼拜]/.test(which)) {
    const inWeek = monday + wanted + 7 * direction(which);
    return which.length > 2 || /^[下上本这]/.test(which) || inWeek >= today ? inWeek : inWeek + 7;
  }
  const ahead = (wanted - weekday(today) + 7) % 7 || 7;
  if (/^(?:last|past)/i.test(which)) return today + ((wanted - weekday(today) - 7) % 7 || -7);
  if (/^next/i.test(which)) return monday + 7 + wanted;
  if (/^this/i.test(which)) return monday + wanted;
  return today + ahead;
}

function shifted(today: CalendarDay, amount: number, unit: string) {
  if (/^(?:day|天|日)/i.test(unit)) return isoDay(today + amount);
  if (/^(?:week|周|星期|礼拜)/i.test(unit)) return isoDay(today + amount * 7);
  return isoDay(addMonths(today, /^(?:year|年)/i.test(unit) ? amount * 12 : amount));
}

function period(today: CalendarDay, which: number, unit: string) {
  if (/^week/i.test(unit)) return `the week of ${isoDay(today - weekday(today) + which * 7)}`;
  if (/^(?:周|星期|礼拜)/.test(unit)) return `${isoDay(today - weekday(today) + which * 7)} 那一周`;
  if (/^(?:month|月)/i.test(unit)) return isoDay(addMonths(today, which)).slice(0, 7);
  const year = Number(isoDay(today).slice(0, 4));
  if (/^quarter/i.test(unit)) {
    const quarter = Math.floor(new Date(today * DAY).getUTCMonth() / 3) + which;
    return `${year + Math.floor(quarter / 4)}-Q${(((quarter % 4) + 4) % 4) + 1}`;
  }
  return String(year + which);
}

function endOfPeriod(today: CalendarDay, which: string, unit: string) {
  const step = direction(which);
  if (/^day/i.test(unit)) return isoDay(today);
  if (/^week/i.test(unit)) return isoDay(today - weekday(today) + 4 + step * 7);
  const shift = (months: number) => addMonths(today, months * step);
  if (/^month/i.test(unit)) return isoDay(endOfMonth(shift(1)));
  return isoDay(/^quarter/i.test(unit) ? endOfQuarter(shift(3)) : endOfYear(shift(12)));
}

/** What to find, and the date that it means. */
type DateRule = readonly [pattern: RegExp, date: (today: CalendarDay, groups: readonly string[]) => string];

const WEEKDAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday";
const COUNT = `\\d{1,3}|an?|${numberWords.slice(1).join("|")}`;
/** "3月5日前" and "2025年前" are dates already. */
const CHINESE_COUNT = `(?<![\\d月年第${chineseNumbers}百两])(\\d{1,3}|[${chineseNumbers}百两]{1,5})`;
const SHORT_DAYS = "Mon|Tue|Tues|Wed|Thu|Thur|Thurs|Fri|Sat|Sun";
const fullDay = (name: string) => weekdays.indexOf(name.toLowerCase());
const shortDay = (name: string) => weekdays.findIndex((day) => day.startsWith(name.toLowerCase()));
/** Several days in a row are a habit, and no date. */
const ALONE = `(?!\\s*(?:,|and|or|to|through|till|until|-|–|/)\\s*(?:${WEEKDAYS}|${SHORT_DAYS})\\b)`;

const dateRules: readonly DateRule[] = [
  [/\b(?:the )?day after tomorrow\b|(?<!大)后天/gi, (today) => isoDay(today + 2)],
  [/\b(?:the )?day before yesterday\b|(?<!大)前天/gi, (today) => isoDay(today - 2)],
  [/大后天/g, (today) => isoDay(today + 3)],
  [/大前天/g, (today) => isoDay(today - 3)],
  [
    /([今明昨])(?=[晚早夜](?!期))/g,
    (today, [which = ""]) => isoDay(today + yearOffset(which.replace("昨", "去"))),
  ],
  [/\btomorrow\b|明[天日]/gi, (today) => isoDay(today + 1)],
  [/\byesterday\b|昨[天日]/gi, (today) => isoDay(today - 1)],
  [/\b(?:today|tonight|this (?:morning|afternoon|evening))\b|今[天日]/gi, (today) => isoDay(today)],
  [
    new RegExp(`\\bin (${COUNT}) (day|week|month|year)s?(?:['’]s? time)?\\b(?! of\\b)`, "gi"),
    (today, [amount = "", unit = ""]) => `on ${shifted(today, parseCount(amount), unit)}`,
  ],
  [
    new RegExp(`\\bwithin (?:the next )?(${COUNT}) (day|week|month|year)s?\\b(?! of\\b)`, "gi"),
    (today, [amount = "", unit = ""]) => `by ${shifted(today, parseCount(amount), unit)}`,
  ],
  [
    new RegExp(`\\b(${COUNT}) (day|week|month|year)s? (ago|from now)\\b`, "gi"),
    (today, [amount = "", unit = "", way = ""]) =>
      shifted(today, /ago/i.test(way) ? -parseCount(amount) : parseCount(amount), unit),
  ],
  [
    new RegExp(`${CHINESE_COUNT}(?:个?(天|周|星期|礼拜|年)|个(月))(?:之|以)?([后前内])`, "g"),
    (today, [amount = "", unit = "", months = "", way = ""]) => {
      const day = shifted(today, way === "前" ? -parseCount(amount) : parseCount(amount), unit || months);
      return way === "内" ? `${day} 之前` : day;
    },
  ],
  [
    /\b(?:the )?end of (?:(the|this|next) )?(day|week|month|quarter|year)\b/gi,
    (today, [which = "", unit = ""]) => endOfPeriod(today, which, unit),
  ],
  [/\bEO([DWMQY])\b/g, (today, [unit = ""]) => endOfPeriod(today, "", periodEndings[unit] ?? "day")],
  [
    /(?<![\d一二三四五六七八九十每])(?:([这本下上])个?)?月底/g,
    (today, [which = ""]) => isoDay(endOfMonth(addMonths(today, direction(which)))),
  ],
  [
    /(?<![\d每])([今明去])?年底/g,
    (today, [which = ""]) => isoDay(endOfYear(addMonths(today, 12 * yearOffset(which)))),
  ],
  [
    new RegExp(`\\b(next|last|this|past|coming) (${WEEKDAYS})\\b${ALONE}`, "gi"),
    (today, [which = "", day = ""]) => isoDay(namedWeekday(today, fullDay(day), which)),
  ],
  [
    new RegExp(`(?<=\\bsince )(${WEEKDAYS})\\b`, "gi"),
    (today, [day = ""]) => isoDay(namedWeekday(today, fullDay(day), "last")),
  ],
  [
    new RegExp(
      `(?<=\\b(?:by|on|until|till|before|after|from|through|due|starting|effective|starts?|begins?|ends?|ships?|closes|opens|expires|lands) )(${WEEKDAYS})\\b${ALONE}`,
      "gi",
    ),
    (today, [day = ""]) => isoDay(namedWeekday(today, fullDay(day), "")),
  ],
  [
    new RegExp(`(?<=\\b(?:by|on|until|till|before|after|due) )(${SHORT_DAYS})\\b\\.?${ALONE}`, "g"),
    (today, [day = ""]) => isoDay(namedWeekday(today, shortDay(day), "")),
  ],
  [
    /(?<!每个?|逢|(?:周|星期|礼拜)[一二三四五六日天](?:到|至|和|与|、|-|~))((?:下下|下|上|本|这)?个?(?:周|星期|礼拜))([一二三四五六日天])(?![二三四五六日天到至和与、~]|-[周星礼一二三四五六日])/g,
    (today, [which = "", day = ""]) =>
      isoDay(namedWeekday(today, Math.min(6, chineseWeekdays.indexOf(day)), which)),
  ],
  [
    /\b(?:the )?(next|last|this) (week|month|quarter|year)\b(?! of\b)/gi,
    (today, [which = "", unit = ""]) => period(today, direction(which), unit),
  ],
  [
    /(下|上|本|这)个?(周|星期|礼拜|月)(?![一二三四五六日天末底])/g,
    (today, [which = "", unit = ""]) => period(today, direction(which), unit),
  ],
  [
    /(大?[前后]|[今明去])年(?![度底])/g,
    (today, [which = ""]) => `${Number(isoDay(today).slice(0, 4)) + yearOffset(which)} 年`,
  ],
];

const periodEndings: Readonly<Record<string, string>> = {
  D: "day",
  W: "week",
  M: "month",
  Q: "quarter",
  Y: "year",
};
const distances: Readonly<Record<string, number>> = { 大前: -3, 前: -2, 去: -1, 明: 1, 后: 2, 大后: 3 };
const yearOffset = (which: string) => distances[which] ?? 0;

/** A sentence that says what never or usually happens on a weekday means every one of them, and no date. */
const HABIT =
  /\b(?:no|never|not|don['’]?t|always|usually|every|each|avoid|only)\b|n['’]t\b|不要|不得|不能|禁止|每|总是|从不|别/i;
const NAMES_WEEKDAY = new RegExp(
  `^(?:${WEEKDAYS}|${SHORT_DAYS})\\.?$|^(?:周|星期|礼拜)[${chineseWeekdays}]$`,
  "i",
);
const isHabit = (from: string, sentence: string) => NAMES_WEEKDAY.test(from) && HABIT.test(sentence);

/** The sentence around a place of a text. */
function sentenceAround(text: string, at: number) {
  const start = Math.max(
    ...[".", "!", "?", ";", "\n", "。", "；"].map((sign) => text.lastIndexOf(sign, at - 1)),
  );
  const end = text.slice(at).search(/[.!?;\n。；]/);
  return text.slice(start + 1, end < 0 ? undefined : at + end);
}

/** Dates inside code are left unchanged. */
const CODE_SPAN = /```[\s\S]*?(?:```|$)|`[^`\n]*`/g;

/** A relative date, and the absolute one that replaced it. */
export interface DateChange {
  readonly from: string;
  readonly to: string;
}

/** The text with every relative date made absolute, seen from `now`. */
export function absoluteDates(
  words: string,
  now: number,
  timeZone?: string,
): { readonly text: string; readonly changes: readonly DateChange[] } {
  const today = dayOf(now, timeZone);
  const changes: DateChange[] = [];
  const convert = (part: string) =>
    dateRules.reduce(
      (known, [pattern, date]) =>
        known.replace(pattern, (from: string, ...rest: unknown[]) => {
          if (isHabit(from, sentenceAround(known, Number(rest.at(-2))))) return from;
          const to = date(
            today,
            rest.slice(0, -2).map((group) => optionalString(group) ?? ""),
          );
          changes.push({ from, to });
          return to;
        }),
      part,
    );
  let result = "";
  let at = 0;
  for (const { 0: code, index } of words.matchAll(CODE_SPAN)) {
    result += convert(words.slice(at, index)) + code;
    at = index + code.length;
  }
  return { text: result + convert(words.slice(at)), changes };
}
