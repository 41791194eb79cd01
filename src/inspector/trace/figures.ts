// The figures of each turn, added up from its steps: time, requests, calls, failures, tokens and dollars.
import { oneLine } from "../../activity/index.ts";
import { defined, isoTime, sumOf } from "../../lib/index.ts";
import { stoppingPoint, userTurns, userWords } from "../../messages/index.ts";
import type { RequestStep, TraceStep, TurnFigures } from "./model.ts";
import type { TraceSources } from "./steps.ts";

const LONGEST_PROMPT = 240;

function stepsByTurn(steps: readonly TraceStep[]) {
  const byTurn = new Map<number, TraceStep[]>();
  for (const step of steps) {
    const own = byTurn.get(step.turn);
    if (own) own.push(step);
    else byTurn.set(step.turn, [step]);
  }
  return byTurn;
}

function dollarsOf(requests: readonly RequestStep[]) {
  const priced = requests.flatMap(({ dollars }) => dollars ?? []);
  const isWhole = priced.length > 0 && priced.length === requests.length;
  return isWhole ? sumOf(priced, (dollars) => dollars) : undefined;
}

function countsOf(steps: readonly TraceStep[]) {
  const requests = steps.filter((step) => step.kind === "request");
  const calls = steps.filter((step) => step.kind === "call");
  return {
    requests: requests.length,
    calls: calls.length,
    failed: calls.filter(({ outcome }) => outcome === "failed").length,
    edits: steps.filter(({ kind }) => kind === "edit").length,
    inputTokens: sumOf(requests, ({ inputTokens }) => inputTokens),
    outputTokens: sumOf(requests, ({ outputTokens }) => outputTokens),
    ...defined({ dollars: dollarsOf(requests) }),
  };
}

/** The last instant that anything of these steps is known of. */
const lastOf = (steps: readonly TraceStep[], began: number) =>
  Math.max(
    began,
    ...steps.filter(({ kind }) => kind !== "edit").map(({ at, ms = 0 }) => Date.parse(at) + ms),
  );

/** A turn for every input of the user, and one for what stands before the first, where there is anything. */
export function turnFigures(
  { conversation, redact }: TraceSources,
  steps: readonly TraceStep[],
): TurnFigures[] {
  const { items } = conversation;
  const byTurn = stepsByTurn(steps);
  const before = byTurn.get(0)?.[0];
  const first = before ? [{ turn: 0, prompt: "", at: Date.parse(before.at), part: [] }] : [];
  const own = userTurns(items).map(({ start, end }, index) => {
    const item = items[start];
    const prompt = item ? oneLine(redact(userWords(item)), LONGEST_PROMPT) : "";
    return { turn: index + 1, prompt, at: item?.at ?? 0, part: items.slice(start, end) };
  });
  return [...first, ...own].map(({ turn, prompt, at, part }) => {
    const done = byTurn.get(turn) ?? [];
    const point = part.length === 0 ? "answered" : stoppingPoint(part);
    return {
      turn,
      prompt,
      at: isoTime(at),
      ms: lastOf(done, at) - at,
      ...countsOf(done),
      ...(point === "answered" || point === "stopped" ? { ended: point } : {}),
    };
  });
}
