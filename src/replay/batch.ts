// Many sessions: those that are known are taken from before, the others are shared out among threads.
import { once } from "node:events";
import { statSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { errorText } from "../lib/index.ts";
import { type Job, type JobAnswer, type JobSettings, runJob } from "./job.ts";
import { contentDigest, type KnownResults } from "./known.ts";
import type { Policy } from "./policy.ts";
import type { Replayed } from "./run.ts";
import { readAnswer } from "./wire.ts";

export interface Progress {
  readonly done: number;
  readonly all: number;
  /** Of the work that has to be done, by the size of files: nothing that was known counts. */
  readonly bytesDone: number;
  readonly bytes: number;
  /** What was finished last. */
  readonly name: string;
}

interface BatchOptions {
  readonly settings: JobSettings;
  readonly policies: readonly Policy[];
  /** Sessions at a time; 1 needs no thread. */
  readonly jobs: number;
  /** The program of a thread. */
  readonly thread: string;
  readonly known: KnownResults;
  /** Measure everything again, whatever is known. */
  readonly fresh: boolean;
  readonly onProgress?: (progress: Progress) => void;
}

export interface Batch {
  /** In the order of the files, policies within. */
  readonly replayed: readonly Replayed[];
  readonly leftOut: readonly { readonly file: string; readonly reason: string }[];
  /** How many sessions did not have to be replayed. */
  readonly knownBefore: number;
  /** Why results could not be kept for the next time; the numbers are as good. */
  readonly notKept?: string;
}

interface Task {
  readonly job: Job;
  readonly content: string | undefined;
  readonly before: ReadonlyMap<string, Replayed>;
  readonly bytes: number;
}

/** Someone who runs one job at a time. */
interface Hand {
  run(job: Job): Promise<JobAnswer>;
  end(): Promise<unknown>;
}

const ownHand: Hand = { run: runJob, end: async () => undefined };

function threadHand(script: string): Hand {
  const worker = new Worker(script);
  return {
    async run(job) {
      worker.postMessage(job);
      // A thread that dies rejects this, by its `error`.
      const [answer] = await once(worker, "message");
      return readAnswer(answer);
    },
    end: () => worker.terminate(),
  };
}

/** Rejects with the first failure; what was finished until then is known the next time. */
export async function replayBatch(
  files: readonly Pick<Job, "file" | "name">[],
  options: BatchOptions,
): Promise<Batch> {
  const tasks = files.map((file) => taskFor(file, options));
  const answers = new Map<Task, JobAnswer>();
  for (const task of tasks) {
    if (missing(task).length === 0) answers.set(task, { kind: "replayed", replayed: [] });
  }
  const knownBefore = answers.size;
  const notKept = await workThrough(
    tasks.filter((task) => !answers.has(task)),
    answers,
    tasks.length,
    options,
  );
  return {
    ...collect(tasks, answers, options.policies),
    knownBefore,
    ...(notKept === undefined ? {} : { notKept }),
  };
}

function taskFor(file: Pick<Job, "file" | "name">, { settings, policies, known, fresh }: BatchOptions): Task {
  const wanted = { ...file, settings, policies: policies.map(({ name }) => name) };
  const content = contentDigest(file.file);
  const before = content === undefined || fresh ? new Map<string, Replayed>() : known.find(wanted, content);
  const job = { ...wanted, policies: wanted.policies.filter((name) => !before.has(name)) };
  const bytes = content === undefined ? 0 : statSync(file.file).size;
  return { job, content, before, bytes };
}

const missing = ({ job }: Task): readonly string[] => job.policies;

async function workThrough(
  tasks: readonly Task[],
  answers: Map<Task, JobAnswer>,
  all: number,
  options: BatchOptions,
): Promise<string | undefined> {
  // The longest first, so that no thread is left alone with one at the end.
  const waiting = [...tasks].sort((a, b) => b.bytes - a.bytes);
  const bytes = tasks.reduce((sum, task) => sum + task.bytes, 0);
  let bytesDone = 0;
  let notKept: string | undefined;
  const count = Math.min(options.jobs, waiting.length);
  const hands = count > 1 ? Array.from({ length: count }, () => threadHand(options.thread)) : [ownHand];
  const work = async (hand: Hand): Promise<void> => {
    for (let task = waiting.shift(); task; task = waiting.shift()) {
      const answer = await hand.run(task.job);
      if (answer.kind === "failed") throw answer.error;
      answers.set(task, answer);
      if (answer.kind === "replayed") notKept ??= keep(task, answer.replayed, options.known);
      bytesDone += task.bytes;
      options.onProgress?.({ done: answers.size, all, bytesDone, bytes, name: task.job.name });
    }
  };
  try {
    await Promise.all(hands.map(work));
  } finally {
    waiting.length = 0;
    await Promise.all(hands.map((hand) => hand.end()));
  }
  return notKept;
}

/** A full disk or a folder that is not ours costs nobody the numbers. */
function keep(
  { job, content, before }: Task,
  fresh: readonly Replayed[],
  known: KnownResults,
): string | undefined {
  if (content === undefined) return undefined;
  try {
    known.keep(job, content, [...before.values(), ...fresh]);
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}

function collect(
  tasks: readonly Task[],
  answers: ReadonlyMap<Task, JobAnswer>,
  policies: readonly Policy[],
): Omit<Batch, "knownBefore"> {
  const replayed: Replayed[] = [];
  const leftOut: { file: string; reason: string }[] = [];
  for (const task of tasks) {
    const answer = answers.get(task);
    if (answer?.kind === "left-out") leftOut.push({ file: task.job.file, reason: answer.reason });
    if (answer?.kind !== "replayed") continue;
    const byName = new Map([
      ...task.before,
      ...answer.replayed.map((one) => [one.result.policy, one] as const),
    ]);
    for (const { name } of policies) {
      const one = byName.get(name);
      if (one) replayed.push(one);
    }
  }
  return { replayed, leftOut };
}
