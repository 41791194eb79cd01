// The live page shows a turn once, whatever is reported of it, and its calls until it is over.
import { describe, expect, it } from "vitest";
import type { LiveRow } from "../../state/feed.ts";
import { liveEntries } from "./lines.ts";

const nothing = { traces: new Map(), turns: new Set<string>(), calls: new Set<string>() };
const at = (minute: number): string => `2026-01-01T00:0${minute}:00.000Z`;

const stored = (
  kind: "prompt" | "observation" | "summary",
  promptNumber: number,
  minute: number,
): LiveRow => ({
  ...{ kind, promptNumber, key: `${kind}${promptNumber}`, ref: `${kind}${promptNumber}`, cursor: minute },
  ...{ at: at(minute), session: "s", project: "p", title: `${kind} ${promptNumber}` },
});
const called = (promptNumber: number, minute: number): LiveRow => ({
  ...{
    kind: "event",
    event: "tool",
    toolName: `Tool${minute}`,
    promptNumber,
    key: `E${minute}`,
    cursor: minute,
  },
  ...{ at: at(minute), session: "s", project: "p" },
});

const shown = (rows: readonly LiveRow[], withEvents = true): string[] =>
  liveEntries(rows, nothing, withEvents).map((entry) => {
    if (entry.kind === "event") return `  ${entry.event.toolName}`;
    return entry.kind === "turn" ? `${entry.turn.prompt} → ${entry.turn.outcome ?? ""}` : entry.kind;
  });

describe("the lines of the live page", () => {
  it("are one for a turn, with its outcome", () => {
    const rows = [stored("summary", 1, 4), stored("observation", 1, 3), stored("prompt", 1, 1)];
    expect(shown(rows)).toEqual(["prompt 1 → summary 1"]);
  });

  it("have the calls of a turn below it until it is over", () => {
    const rows = [called(2, 6), called(2, 5), stored("prompt", 2, 4), called(1, 2), stored("prompt", 1, 1)];
    expect(shown(rows)).toEqual(["prompt 2 → ", "  Tool6", "  Tool5", "prompt 1 → ", "  Tool2"]);
    expect(shown([stored("summary", 2, 7), ...rows])).toEqual([
      "prompt 2 → summary 2",
      "prompt 1 → ",
      "  Tool2",
    ]);
    expect(shown(rows, false)).toEqual(["prompt 2 → ", "prompt 1 → "]);
  });

  it("stay in their order when an older turn goes on", () => {
    const rows = [called(1, 5), stored("prompt", 2, 4), stored("prompt", 1, 1)];
    expect(shown(rows)).toEqual(["prompt 2 → ", "prompt 1 → ", "  Tool5"]);
  });

  it("show calls of a turn whose prompt is not known", () => {
    expect(shown([called(3, 2)])).toEqual(["Tool2 → ", "  Tool2"]);
  });
});
