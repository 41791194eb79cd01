// A store with as much in it as wanted, spread as work is: over half a year, in sessions, over a few projects.
import { observationTypes } from "../src/lib/index.ts";
import type { NewObservation, Store } from "../src/store/index.ts";
import { generator } from "./retrieval/zipf.ts";

const DAYS = 180;
const SESSION = 50;

/** Sessions of fifty, three projects, files of which some are in every session. */
export async function fill(store: Store, count: number): Promise<void> {
  const made = generator("en", 7);
  const start = Date.UTC(2026, 0, 1);
  const step = (DAYS * 86_400_000) / count;
  for (let at = 0; at < count; at += 1_000) {
    const batch: NewObservation[] = Array.from({ length: Math.min(1_000, count - at) }, (_, index) => {
      const number = at + index;
      const session = Math.floor(number / SESSION);
      return {
        ...made.observation(number),
        session: `session-${session}`,
        project: `project-${session % 3}-0000000${session % 3}`,
        at: new Date(start + number * step).toISOString(),
        type: observationTypes[number % 6] ?? "change",
        concepts: [`concept-${number % 40}`, ...(number % 997 === 0 ? ["seldom"] : [])],
        filesRead: ["src/index.ts", `src/part-${number % 300}.ts`],
        filesModified: number % 499 === 0 ? ["src/seldom.ts"] : [],
      };
    });
    await store.addObservations(batch);
    const sessions = [...new Set(batch.map(({ session }) => session))];
    await store.recordEvents(
      sessions.map((session, index) => ({
        ...{ v: 1, id: `ev_${at}_${index}`, kind: "prompt", session, lane: "hooks", writer: "bench" },
        ...{ at: new Date(start + (at + index * SESSION) * step).toISOString(), cwd: "/" },
        ...{ payload: { prompt: `what is to be done in ${session}` } },
        project: batch.find((one) => one.session === session)?.project ?? "",
      })),
    );
  }
}
