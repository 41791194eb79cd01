// What telling a new session, or a prompt, of earlier ones costs where much is kept, against where little is.

import { mkdirSync } from "node:fs";
import path from "node:path";
import { projectOf } from "../src/home/index.ts";
import { aboutWork, promptText, startText } from "../src/inject/index.ts";
import { MINUTE } from "../src/lib/index.ts";
import { openStore, type Store } from "../src/store/index.ts";
import { estimateText } from "../src/tokens/index.ts";
import type { Bench } from "./bench.ts";
import { inFolder, median, numberAt, quantile, rounded, timed } from "./measure.ts";
import { generator, wordsOf } from "./retrieval/zipf.ts";

const FEW = 1_000;
const BAR = 2;
/** The hook waits so long for everything. */
const DEADLINE_MS = 250;
const PROMPT_WORDS = 12;
const began = Date.parse("2026-01-01T00:00:00Z");

interface Filled {
  readonly store: Store;
  readonly texts: readonly string[];
}

/** A minute apart, forty to a session, with a summary at the end of each, files among them. */
async function fill(file: string, project: string, count: number): Promise<Filled> {
  const store = await openStore({ file });
  const made = generator("en", 7);
  const texts: string[] = [];
  for (let at = 0; at < count; at += 1_000) {
    const batch = Array.from({ length: Math.min(1_000, count - at) }, (_, index) => {
      const number = at + index;
      const observation = made.observation(number);
      const [first = "a", second = "b"] = wordsOf(observation.narrative);
      return {
        ...observation,
        project,
        session: `session ${Math.floor(number / 40)}`,
        at: new Date(began + number * MINUTE).toISOString(),
        filesModified: [`src/${first}/${second}.ts`],
      };
    });
    texts.push(...batch.map(({ narrative }) => narrative));
    await store.addObservations(batch);
    await store.addSummaries(
      batch
        .filter((_, index) => index % 40 === 39)
        .map(({ session, at: time, title, narrative }) => ({
          session,
          project,
          at: time,
          promptNumber: 1,
          request: title,
          completed: narrative,
        })),
    );
  }
  return { store, texts };
}

/** Half of them in the words of something that is kept, half in words from here and there. */
async function promptTimes({ store, texts }: Filled, work: string, runs: number): Promise<number[]> {
  const { chance } = generator("en", 13);
  const times: number[] = [];
  for (let run = 0; run < runs * 2; run += 1) {
    const all = wordsOf(texts[chance(texts.length)] ?? "");
    const elsewhere = (): string[] => wordsOf(texts[chance(texts.length)] ?? "");
    const words = Array.from({ length: PROMPT_WORDS }, () => {
      const from = run % 2 === 0 ? all : elsewhere();
      return from[chance(from.length)] ?? "";
    });
    const asked = { folder: work, session: "now", language: "en", nonce: "00000000" } as const;
    times.push(await timed(() => promptText({ store }, { ...asked, prompt: words.join(" ") })));
  }
  return times;
}

/** The text that a session is told at its start, in a folder where something else was worked on each time. */
async function startTimes(stores: readonly Filled[], work: string, runs: number) {
  const { chance } = generator("en", 11);
  const times = stores.map((): number[] => []);
  let text = "";
  for (let run = 0; run < runs; run += 1) {
    for (const [index, { store, texts }] of stores.entries()) {
      const words = wordsOf(texts[chance(texts.length)] ?? "");
      const one = (): string => words[chance(words.length)] ?? "";
      const situation = {
        folder: work,
        branch: `feature/${one()}-${one()}`,
        files: [`src/${one()}/${one()}.ts`, `src/${one()}.ts`],
      };
      // The worker looks for these in the background when a turn has ended.
      const older = await aboutWork(store, situation);
      const now = began + texts.length * MINUTE;
      const limits = { tokens: 1_000, characters: 10_000, language: "en", nonce: "00000000" } as const;
      const tell = async (): Promise<void> => {
        text = await startText(store, { ...situation, ...limits, older, now });
      };
      times[index]?.push(await timed(tell));
    }
  }
  return { times, text };
}

export const bench: Bench = {
  name: "inject",
  measures: ["src/inject", "src/search", "src/memdir"],
  about:
    "What telling a new session, or a prompt, of earlier ones costs where much is kept, against where little is.",
  usage: "[observations] [runs]",
  async run(args) {
    const many = numberAt(args, 0, 100_000);
    const runs = numberAt(args, 1, 60);
    return inFolder("inject", async (folder) => {
      const work = path.join(folder, "work");
      mkdirSync(work);
      const project = projectOf(work).id;
      const counts = [FEW, many];
      const stores: Filled[] = [];
      for (const count of counts) stores.push(await fill(path.join(folder, `${count}.db`), project, count));
      const { times, text } = await startTimes(stores, work, runs);
      const rows = [];
      for (const [index, filled] of stores.entries()) {
        const prompts = await promptTimes(filled, work, runs);
        rows.push({
          observations: counts[index] ?? 0,
          "a start, ms": rounded(median(times[index] ?? [])),
          "a prompt, ms": rounded(median(prompts)),
          "a prompt, p95 ms": rounded(quantile(prompts, 0.95)),
        });
        await filled.store.close();
      }
      const [few = 1, much = 0] = times.map(median);
      const tokens = estimateText(text, "new");
      return {
        findings: [
          {
            title: "What a session is told",
            rows,
            notes: [`${text.length} characters, about ${tokens} tokens.`],
          },
        ],
        bars: [
          { what: "a start where much is kept, × where little is", value: much / few, atMost: BAR },
          ...rows.map((row) => ({
            what: `a prompt among ${row.observations.toLocaleString("en-US")}, p95 ms`,
            value: row["a prompt, p95 ms"],
            atMost: DEADLINE_MS,
          })),
        ],
      };
    });
  },
};
