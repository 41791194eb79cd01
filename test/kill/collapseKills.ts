// Collapse under kill -9: after every kill the session goes on with the bytes it would have had without.
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { memorySession } from "../../src/pipeline/index.ts";
import { collapsing } from "../fixtures/pipeline/collapsing.ts";
import { openCollapsing, STEPS, sentWith } from "./collapseSteps.ts";
import { killLoop } from "./killLoop.ts";
import { seededRandom } from "./seededRandom.ts";

const collapseWriter = fileURLToPath(new URL("./collapseWriter.ts", import.meta.url));

interface CollapseTally {
  readonly kills: number;
  readonly confirmed: number;
  /** Collapses in all sessions together. */
  readonly commits: number;
  /** Sessions that were killed with something on disk that no request had shown yet. */
  readonly midway: number;
}

/** The bytes of every step when nothing ever goes wrong. */
function undisturbed(): string[] {
  const session = memorySession("undisturbed", collapsing());
  return Array.from({ length: STEPS }, (_, step) => sentWith(session, step));
}

/** Each round starts shortly before a step at which something is recorded, so that kills fall where they could hurt. */
export async function killCollapses(folder: string, kills: number, seed: number): Promise<CollapseTally> {
  const expected = undisturbed();
  const random = seededRandom(seed);
  const busy = busySteps();
  let confirmed = 0;
  let commits = 0;
  let midway = 0;
  const starts: number[] = [];
  await killLoop({
    entry: collapseWriter,
    args: (round) => {
      starts[round] = Math.max(0, (busy[random(busy.length)] ?? 0) - 1 - random(6));
      const session = openCollapsing(folder, `r${round}-0`);
      for (let step = 0; step < (starts[round] ?? 0); step++) sentWith(session, step);
      return [folder, `r${round}`, String(starts[round])];
    },
    kills,
    seed,
    onRound: ({ round, confirmed: [lines = []] }) => {
      confirmed += lines.length;
      let [serial, next] = [0, starts[round] ?? 0];
      for (const line of lines) {
        const [of = "", step = "", digest] = line.split(" ");
        expect(digest).toBe(expected[Number(step)]);
        [serial, next] = [Number(of), Number(step) + 1];
      }
      const session = openCollapsing(folder, `r${round}-${serial}`);
      const before = session.ledger.entries().length;
      for (let step = next; step < Math.min(next + 12, STEPS); step++) {
        expect(sentWith(session, step)).toBe(expected[step]);
        if (step === next && before > (recordedBy.get(next - 1) ?? 0)) midway++;
      }
      commits += session.ledger.entries().filter(({ edit }) => edit.kind === "collapse-commit").length;
      expect(session.vault.verify()).toMatchObject({ corrupt: [], missing: [] });
    },
  });
  return { kills, confirmed, commits, midway };
}

/** Entries that the ledger holds behind each step of an undisturbed session. */
const recordedBy = new Map<number, number>();

function busySteps(): number[] {
  const session = memorySession("busy", collapsing());
  const busy: number[] = [];
  for (let step = 0; step < STEPS; step++) {
    const before = session.ledger.entries().length;
    sentWith(session, step);
    recordedBy.set(step, session.ledger.entries().length);
    if (session.ledger.entries().length > before) busy.push(step);
  }
  return busy;
}
