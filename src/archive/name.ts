// File names of archives: from a title in any script, safe on every system, and never two the same.
import { defined, sha256 } from "../lib/index.ts";
import type { ArchiveContent } from "./model.ts";

function fields(at: number, timeZone: string | undefined, options: Intl.DateTimeFormatOptions) {
  const format = new Intl.DateTimeFormat("en-US", {
    ...options,
    ...defined({ timeZone }),
  });
  return Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
}

/** `Feb 3, 2025 at 10:30 AM GMT+1` */
export function longTime(at: number, timeZone?: string) {
  const { timeZoneName } = fields(at, timeZone, { timeZoneName: "short" });
  return `${conversationTime(at, timeZone)} ${timeZoneName}`;
}

/** `Feb 3, 2025 at 10:30 AM` */
export function conversationTime(at: number, timeZone?: string) {
  const { month, day, year, hour, minute, dayPeriod } = fields(at, timeZone, {
    month: "short",
    day: "numeric",
    year: "numeric",
    hour: "numeric",
    minute: "2-digit",
    hour12: true,
  });
  return `${month} ${day}, ${year} at ${hour}:${minute} ${dayPeriod}`;
}

/** The day `2025-02-03` and the minute `1030`, of the same moment in the same zone. */
function nameTimes(at: number, timeZone?: string): { readonly date: string; readonly time: string } {
  const { month, day, year, hour, minute } = fields(at, timeZone, {
    month: "2-digit",
    day: "2-digit",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  return { date: `${year?.padStart(4, "0")}-${month}-${day}`, time: `${hour}${minute}` };
}

export const defaultNames: Readonly<Record<ArchiveContent, string>> = {
  full: "{date}-{slug}-{id}.md",
  conversation: "{date}-{summary}.md",
};

const SLUG_CHARACTERS = 50;
/** Room for the ending of a compressed file and of a temporary one in the 255 bytes that a name may have. */
const LONGEST_STEM = 160;
const ID_CHARACTERS = 8;

const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(?:\.|$)/i;

/** Letters, marks, digits and pictures of any script, at most 50 of them; empty when the title has none. */
export function slugOf(title: string) {
  const kept = title
    .normalize("NFC")
    .toLowerCase()
    .normalize("NFC")
    // What joins pictures into one, and picks their form, stays with them.
    .replace(
      /[^\p{L}\p{M}\p{N}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\u200d]+/gu,
      "-",
    )
    .replace(/^[-\u200d]+|[-\u200d]+$/g, "");
  return Array.from(kept)
    .slice(0, SLUG_CHARACTERS)
    .join("")
    .replace(/[-\u200d]+$/, "");
}

interface NameFacts {
  /** `{date}-{slug}-{id}.md`; also `{time}`, `{summary}` (the slug by its older name) and `{session}`. */
  readonly template: string;
  readonly title: string;
  readonly session: string;
  readonly extension: string;
  /** When the conversation began, in milliseconds since the epoch. */
  readonly beganAt: number;
  readonly timeZone?: string;
}

/** One path component: no separators, no control characters, no dots or spaces where systems drop them. */
function component(name: string) {
  const clean = name
    .normalize("NFC")
    .replace(/[\p{Cc}\p{Cf}\p{Cs}<>:"/\\|?*]+/gu, (run) => (run === "\u200d" ? run : "-"))
    .replace(/^[.\s-]+|[.\s-]+$/gu, "");
  const safe = clean === "" || reserved.test(clean) ? `_${clean}` : clean;
  let room = LONGEST_STEM;
  return Array.from(safe)
    .filter((character) => {
      room -= Buffer.byteLength(character);
      return room >= 0;
    })
    .join("");
}

/** The name a session's archive would have, the first that `isTaken` allows. */
export function archiveName(facts: NameFacts, isTaken: (name: string) => boolean) {
  const { template, title, session, extension, beganAt, timeZone } = facts;
  const { date, time } = nameTimes(beganAt, timeZone);
  const slug = slugOf(title) || `conversation-${time}`;
  const values: Readonly<Record<string, string>> = {
    date,
    time,
    slug,
    summary: slug,
    id: component(session).slice(0, ID_CHARACTERS),
    session: component(session),
  };
  const filled = template
    .replace(/\.(?:md|json)$/i, "")
    .replace(/\{(\w+)\}/g, (whole, key: string) => values[key] ?? whole);
  const stem = component(filled);
  const digest = sha256(session);
  // The session's own digits, and more of them, until the name is free.
  const endings = ["", ...[8, 16, 64].map((digits) => `-${digest.slice(0, digits)}`)];
  for (let count = 2; ; count++) {
    const found = endings.map((ending) => `${stem}${ending}${extension}`).find((name) => !isTaken(name));
    if (found !== undefined) return found;
    endings.splice(0, endings.length, `-${digest}-${count}`);
  }
}
