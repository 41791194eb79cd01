// The status line of Claude Code: how full the window is, what the session cost, how long the prompt cache stays warm, and when the
// window was compacted last. Claude Code runs it again and again, so that it loads nothing else.
import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** The part of what Claude Code hands over that is used here. */
interface StatusInput {
  readonly transcript_path?: string;
  readonly cost?: { readonly total_cost_usd?: number };
  readonly context_window?: {
    readonly context_window_size?: number;
    readonly current_usage?: Readonly<Record<string, number>> | null;
  };
  readonly prompt_cache?: { readonly warm?: boolean; readonly expires_at?: string | number | null };
}

const MINUTE_MS = 60_000;
/** Seconds since 1970 are below this until the year 5138, milliseconds above it since 1973. */
const FIRST_MILLISECONDS = 1e11;
/** A compaction that is further up in the transcript is not shown. */
const MOST_BYTES = 4 * 1024 * 1024;

function tokensText(tokens: number) {
  if (tokens >= 1e6) return `${(tokens / 1e6).toFixed(tokens % 1e6 === 0 ? 0 : 1)}M`;
  return tokens >= 1e3 ? `${Math.round(tokens / 1e3)}k` : String(tokens);
}

function windowPart({ context_window: window }: StatusInput) {
  const { context_window_size: size, current_usage: usage } = window ?? {};
  if (!size || !usage) return "";
  const names = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens"];
  const used = names.reduce((sum, name) => sum + (usage[name] ?? 0), 0);
  return `${tokensText(used)} of ${tokensText(size)} (${Math.round((100 * used) / size)} %)`;
}

function cachePart({ prompt_cache: cache }: StatusInput, now: number) {
  if (cache?.warm === undefined) return "";
  if (!cache.warm) return "cache cold";
  const given = cache.expires_at;
  const ends = typeof given === "string" ? Date.parse(given) : (given ?? Number.NaN);
  const left = (ends < FIRST_MILLISECONDS ? ends * 1_000 : ends) - now;
  if (Number.isNaN(left)) return "cache warm";
  return left <= 0 ? "cache cold" : `cache warm ${Math.ceil(left / MINUTE_MS)} min`;
}

/** The end of a file; empty where there is none. */
function endOf(file: string) {
  try {
    const fd = openSync(file, "r");
    try {
      const { size } = fstatSync(fd);
      const bytes = Buffer.alloc(Math.min(size, MOST_BYTES));
      return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, size - bytes.length));
    } finally {
      closeSync(fd);
    }
  } catch {
    // A session that has just begun has no transcript yet.
    return Buffer.alloc(0);
  }
}

function compactionPart({ transcript_path: file }: StatusInput) {
  const bytes = file ? endOf(file) : Buffer.alloc(0);
  const at = bytes.lastIndexOf('"subtype":"compact_boundary"');
  if (at < 0) return "";
  const end = bytes.indexOf("\n", at);
  const row = bytes.toString("utf8", bytes.lastIndexOf("\n", at) + 1, end < 0 ? bytes.length : end);
  const time = new Date(/"timestamp":"([^"]+)"/.exec(row)?.[1] ?? "");
  return Number.isNaN(time.getTime()) ? "" : `compacted ${time.toTimeString().slice(0, 5)}`;
}

/** One line from the JSON that Claude Code hands over; empty for anything else. */
export function statusLine(given: string, now: number): string {
  let input: StatusInput;
  try {
    input = (JSON.parse(given) ?? {}) as StatusInput;
  } catch {
    return "";
  }
  const cost = input.cost?.total_cost_usd;
  const parts = [
    windowPart(input),
    cost === undefined ? "" : `$${cost.toFixed(2)}`,
    cachePart(input, now),
    compactionPart(input),
  ];
  return parts.filter((part) => part !== "").join(" · ");
}
