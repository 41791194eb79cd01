// The progress lines of an import and of a replay.
import { describe, expect, it } from "vitest";
import { importProgress, replayLine, roughly } from "./progress.ts";
import { rendered } from "./terminal.ts";

function watched(isTTY: boolean, total = 1_000, columns = 80) {
  const clock = { time: 0 };
  const written: string[] = [];
  const stream = {
    isTTY,
    columns,
    write: (text: string) => {
      written.push(rendered(text));
    },
  };
  return { clock, written, progress: importProgress({ total, stream, now: () => clock.time }) };
}

describe("the progress of an import", () => {
  it("is one line on a terminal, that is written over and taken away", () => {
    const { clock, written, progress } = watched(true);
    progress.show(0, "session 1 of 4");
    clock.time = 50;
    progress.show(100, "session 1 of 4");
    clock.time = 10_000;
    progress.show(250, "session 2 of 4");
    progress.clear();
    expect(written).toHaveLength(3);
    const bar = `${"█".repeat(6)}${"░".repeat(18)}`;
    expect(written[1]).toBe(`\x1b[1G\x1b[2K${bar}  25 %  session 2 of 4, about 30 s left`);
    expect(written[2]).toBe("\x1b[1G\x1b[2K");
  });

  it("never wraps", () => {
    const { clock, written, progress } = watched(true, 1_000, 40);
    clock.time = 5_000;
    progress.show(500, "a very long description of what is being done");
    expect(written[0]?.replace("\x1b[1G\x1b[2K", "")).toHaveLength(39);
  });

  it("is a line now and then where no terminal is, and none for what is over at once", () => {
    const { clock, written, progress } = watched(false);
    progress.show(0, "session 1 of 4");
    for (clock.time = 1_000; clock.time <= 30_000; clock.time += 1_000)
      progress.show(clock.time / 100, "session 1 of 4");
    progress.clear();
    expect(written).toEqual([
      "importing  10 %  session 1 of 4, about 1 min 30 s left\n",
      "importing  20 %  session 1 of 4, about 1 min 20 s left\n",
      "importing  30 %  session 1 of 4, about 1 min 10 s left\n",
    ]);
  });

  it("guesses nothing from the first moments, and nothing when all is read", () => {
    const { clock, written, progress } = watched(true);
    clock.time = 1_000;
    progress.show(10, "x");
    clock.time = 90_000;
    progress.show(1_000, "observing turns");
    expect(written.join("")).not.toContain("left");
  });

  it.each([
    [300, "1 s"],
    [59_400, "59 s"],
    [61_000, "1 min 0 s"],
    [3_599_000, "59 min 50 s"],
    [7_300_000, "2 h 2 min"],
  ])("%d ms is roughly %s", (ms, told) => {
    expect(roughly(ms)).toBe(told);
  });
});

describe("the progress of a replay", () => {
  const progress = { done: 5, all: 22, bytesDone: 25, bytes: 100, name: "session" };

  it("says how many are done and how long the rest will take, by the size of what is done", () => {
    expect(replayLine(progress, 10_000, 100)).toBe(
      "█████░░░░░░░░░░░░░░░ 5/22 sessions, about 30 s left  session",
    );
    expect(replayLine({ ...progress, bytesDone: 1 }, 10_000, 100)).toContain("about 16 min 30 s left");
  });

  it("promises nothing at the end, nor where nothing had to be done", () => {
    expect(replayLine({ ...progress, bytesDone: 100, done: 22 }, 10_000, 100)).toBe(
      "████████████████████ 22/22 sessions  session",
    );
    expect(replayLine({ ...progress, bytesDone: 0, bytes: 0 }, 10_000, 100)).not.toContain("left");
  });

  it("is no wider than the terminal, and passes on nothing that a name could do to it", () => {
    expect(replayLine(progress, 10_000, 30)).toHaveLength(30);
    expect(replayLine({ ...progress, name: "a\u001b[2Jb" }, 10_000, 100)).toMatch(/ {2}a\\u\{1b\}\[2Jb$/);
  });
});
