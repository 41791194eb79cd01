// How full the window of a running session is and whether the prompt cache is still warm, from the end of its transcript.
import { cacheOutlook, learnedTtl } from "../../economics/index.ts";
import { defined, isoTime, statIfThere } from "../../lib/index.ts";
import { promptTokens, type Usage } from "../../messages/index.ts";
import { findModel, type ModelOverrides } from "../../tokens/index.ts";
import { isRealModel, scanEntries } from "../../transcript/index.ts";

export interface WindowGauge {
  /** What the last request and its answer left in the window. */
  readonly used: number;
  /** The model's window; absent when the model is not known. */
  readonly limit?: number;
  readonly model?: string;
  /** When the last answer came. */
  readonly at: string;
  readonly cache: "warm" | "cold" | "unknown";
}

/** The last answer is among these bytes, unless one row is larger. */
const READ_BYTES = 4 * 1024 * 1024;

interface LastAnswer {
  readonly usage: Usage;
  readonly at: number;
  readonly model?: string;
  readonly ttl: "5m" | "1h";
}

async function lastAnswer(transcript: string, from: number) {
  let last: LastAnswer | undefined;
  for await (const { entries } of scanEntries(transcript, { from, onProblem: () => undefined })) {
    for (const entry of entries) {
      if (entry.kind !== "message" || entry.sidechain || entry.isApiError || entry.at === undefined) continue;
      const { usage, model } = entry.response ?? {};
      if (!usage || !isRealModel(model) || promptTokens(usage) === 0) continue;
      const ttl = learnedTtl(usage, last?.ttl ?? "5m");
      last = { usage, at: entry.at, ttl, ...defined({ model }) };
    }
  }
  return last;
}

/** Undefined for a session without an answer, or without its transcript. */
export async function windowGauge(
  transcript: string,
  models: ModelOverrides,
  now: number,
): Promise<WindowGauge | undefined> {
  const size = statIfThere(transcript)?.size;
  if (size === undefined) return undefined;
  const last = await lastAnswer(transcript, Math.max(0, size - READ_BYTES));
  if (!last) return undefined;
  const { usage, at, model, ttl } = last;
  const known = model === undefined ? undefined : findModel(model, models);
  const { predicted } = cacheOutlook({ lastRequestAt: at, ttl }, now, undefined);
  return {
    used: promptTokens(usage) + usage.output,
    at: isoTime(at),
    cache: predicted,
    ...defined({ limit: known?.window, model }),
  };
}
