// What telling a new session, or a prompt, of earlier ones costs where much is kept, against where little is.
// usage: npm run bench:inject -- [observations] [runs]
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { aboutWork, promptText, startText } from "../src/inject/index.ts";
import { projectOf } from "../src/lib/index.ts";
import { openStore, type Store } from "../src/store/index.ts";
import { estimateText } from "../src/tokens/index.ts";
import { generator, wordsOf } from "./retrieval/zipf.ts";

const COUNT = Number(process.argv[2] ?? 100_000);
const RUNS = Number(process.argv[3] ?? 60);
const FEW = 1_000;
const BAR = 2;
/** The hook waits so long for everything. */
const DEADLINE_MS = 250;
const PROMPT_WORDS = 12;
const MINUTE = 60_000;
const began = Date.parse("2026-01-01T00:00:00Z");

const middle = (times: readonly number[]): number => [...times].sort((a, b) => a - b)[times.length >> 1] ?? 0;

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
async function promptTimes({ store, texts }: Filled, work: string): Promise<number[]> {
  const { chance } = generator("en", 13);
  const times: number[] = [];
  for (let run = 0; run < RUNS * 2; run += 1) {
    const all = wordsOf(texts[chance(texts.length)] ?? "");
    const elsewhere = (): string[] => wordsOf(texts[chance(texts.length)] ?? "");
    const words = Array.from({ length: PROMPT_WORDS }, () => {
      const from = run % 2 === 0 ? all : elsewhere();
      return from[chance(from.length)] ?? "";
    });
    const asked = { folder: work, session: "now", language: "en", nonce: "00000000" } as const;
    const started = performance.now();
    await promptText({ store }, { ...asked, prompt: words.join(" ") });
    times.push(performance.now() - started);
  }
  return times.sort((a, b) => a - b);
}

const folder = mkdtempSync(path.join(tmpdir(), "throughline-bench-inject-"));
try {
  const work = path.join(folder, "work");
  mkdirSync(work);
  const project = projectOf(work).id;
  const stores = [
    await fill(path.join(folder, "few.db"), project, FEW),
    await fill(path.join(folder, "many.db"), project, COUNT),
  ];
  const { chance } = generator("en", 11);
  const times: number[][] = [[], []];
  let text = "";
  for (let run = 0; run < RUNS; run += 1) {
    for (const [index, { store, texts }] of stores.entries()) {
      const words = wordsOf(texts[chance(texts.length)] ?? "");
      const one = (): string => words[chance(words.length)] ?? "";
      const situation = {
        folder: work,
        branch: `feature/${one()}-${one()}`,
        files: [`src/${one()}/${one()}.ts`, `src/${one()}.ts`],
      };
      // The worker looks for these when a turn has ended; nobody waits for it.
      const older = await aboutWork(store, situation);
      const started = performance.now();
      text = await startText(store, {
        ...situation,
        older,
        now: began + texts.length * MINUTE,
        tokens: 1_000,
        characters: 10_000,
        language: "en",
        nonce: "00000000",
      });
      times[index]?.push(performance.now() - started);
    }
  }
  const [few = 0, many = 0] = times.map(middle);
  const ratio = many / few;
  process.stdout.write(
    `${FEW} observations: ${few.toFixed(1)} ms; ${COUNT}: ${many.toFixed(1)} ms; ${ratio.toFixed(2)} times (at most ${BAR}); ${text.length} characters, about ${estimateText(text, "new")} tokens\n`,
  );
  if (ratio > BAR) process.exitCode = 1;
  for (const [index, filled] of stores.entries()) {
    const prompts = await promptTimes(filled, work);
    const late = prompts[Math.floor(prompts.length * 0.95)] ?? 0;
    process.stdout.write(
      `a prompt among ${index === 0 ? FEW : COUNT}: median ${middle(prompts).toFixed(1)} ms, p95 ${late.toFixed(1)} ms, at most ${(prompts.at(-1) ?? 0).toFixed(1)} ms (p95 below ${DEADLINE_MS})\n`,
    );
    if (late > DEADLINE_MS) process.exitCode = 1;
  }
  for (const { store } of stores) await store.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
