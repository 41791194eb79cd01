// Counts, sizes and times as a person reads them, and how wide a text is on a terminal.
import { withoutColours } from "./terminal.ts";

/** `1,200`. */
export const formatNumber = (value: number): string => value.toLocaleString("en-US");

/** `1 session`, `1,200 sessions`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`;

export const sumOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

const two = (value: number) => String(value).padStart(2, "0");

/** Day and minute in local time. */
export function localMinute(at: string | number): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return String(at);
  const day = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join("-");
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}`;
}

/** How long ago something was. */
export function ageOf(hours: number): string {
  const minutes = Math.floor(hours * 60);
  if (minutes < 0) return "in the future";
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  return hours < 48 ? `${hours.toFixed(1)} h ago` : `${Math.floor(hours / 24)} days ago`;
}

/** Rows of the tables that have any: `3 sessions, 120 events`. */
export function countedRows(counts: Readonly<Record<string, number>>): string {
  const rows = Object.entries(counts).flatMap(([name, count]) =>
    count > 0 ? counted(count, name.replace(/ies$/, "y").replace(/s$/, ""), name) : [],
  );
  return rows.join(", ") || "nothing";
}

export const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;

const twoCellsWide =
  /[\u1100-\u115f\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|\ufe0f/u;

/** Cells of a terminal; Chinese, Japanese and Korean characters and emoji take two, colours none. */
export function widthOf(text: string): number {
  const seen = withoutColours(text);
  if (/^[\x20-\x7e]*$/.test(seen)) return seen.length;
  let width = 0;
  for (const { segment } of new Intl.Segmenter().segment(seen)) width += twoCellsWide.test(segment) ? 2 : 1;
  return width;
}

/** A text in lines of at most `width` cells, broken between words. A wider word has its own line. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && widthOf(longer) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}
