// Many sessions: those that are known are taken from before, the others are shared out among threads.
import { Worker } from "node:worker_threads";
import { defined, errorText, fileSize, sumOf } from "../lib/index.ts";
import { type JobAnswer, type JobSettings, type ReplayJob, type ReplayRefusal, refusalOf } from "./job.ts";
import { contentDigest, type KnownResults } from "./known.ts";
import type { Policy } from "./policies.ts";
import type { Replayed } from "./run.ts";

export interface ReplayProgress {
  readonly done: number;
  readonly all: number;
  /** Of the work that has to be done, by the size of files: nothing that was known counts. */
  readonly bytesDone: number;
  readonly bytes: number;
  /** The session that was begun or finished last. */
  readonly name: string;
}

export interface BatchOptions {
  readonly settings: JobSettings;
  readonly policies: readonly Policy[];
  /** Sessions at a time. */
  readonly jobs: number;
  /** The program of a thread. */
  readonly thread: string;
  readonly known: KnownResults;
  /** Measure everything again, whatever is known. */
  readonly fresh: boolean;
  readonly onProgress?: (progress: ReplayProgress) => void;
  /** Ends the work early: what is done by then is the result. */
  readonly signal?: AbortSignal;
}

export interface Batch {
  /** In the order of the files, policies within. */
  readonly replayed: readonly Replayed[];
  readonly leftOut: readonly ({ readonly file: string } & ReplayRefusal)[];
  /** How many sessions did not have to be replayed. */
  readonly knownBefore: number;
  /** Sessions that the signal left undone. */
  readonly undone: number;
  /** Why results could not be kept for the next time; the numbers are as good. */
  readonly notKept?: string;
}

interface ReplayTask {
  readonly job: ReplayJob;
  readonly content: string | undefined;
  readonly before: ReadonlyMap<string, Replayed>;
  readonly bytes: number;
}

/** Runs one job at a time. */
interface JobRunner {
  /** Rejects when its thread ended under the job; the runner is of no use then. */
  run(job: ReplayJob): Promise<JobAnswer>;
  end(): Promise<unknown>;
}

function threadRunner(script: string): JobRunner {
  const worker = new Worker(script);
  return {
    run: (job) =>
      new Promise((resolve, reject) => {
        for (const event of ["message", "error", "exit"]) worker.removeAllListeners(event);
        worker.once("message", resolve);
        worker.once("error", reject);
        worker.once("exit", (code) => reject(new Error(`its thread ended with code ${code}`)));
        worker.postMessage(job);
      }),
    end: () => worker.terminate(),
  };
}

/** Never rejects for a session: one that cannot be replayed is left out with its reason. */
export async function replayBatch(
  files: readonly Pick<ReplayJob, "file" | "name">[],
  options: BatchOptions,
): Promise<Batch> {
  const tasks: ReplayTask[] = [];
  for (const file of files) {
    if (options.signal?.aborted) break;
    options.onProgress?.({ done: 0, all: files.length, bytesDone: 0, bytes: 1, name: file.name });
    tasks.push(await taskFor(file, options));
  }
  const answers = new Map<ReplayTask, JobAnswer>();
  for (const task of tasks) {
    if (task.job.policies.length === 0) answers.set(task, { kind: "replayed", replayed: [] });
  }
  const knownBefore = answers.size;
  const waiting = tasks.filter((task) => !answers.has(task));
  const notKept = await workThrough(waiting, answers, tasks.length, options);
  return {
    ...collectAnswers(tasks, answers, options.policies),
    knownBefore,
    undone: files.length - answers.size,
    ...defined({ notKept }),
  };
}

async function taskFor(
  file: Pick<ReplayJob, "file" | "name">,
  { settings, policies, known, fresh }: BatchOptions,
): Promise<ReplayTask> {
  const wanted = { ...file, settings, policies: policies.map(({ name }) => name) };
  const content = await contentDigest(file.file);
  const before = content === undefined || fresh ? new Map<string, Replayed>() : known.find(wanted, content);
  const job = { ...wanted, policies: wanted.policies.filter((name) => !before.has(name)) };
  const bytes = content === undefined ? 0 : fileSize(file.file);
  return { job, content, before, bytes };
}

/** The answers as they come. A thread that ends under a session costs that session and no other. */
async function workThrough(
  tasks: readonly ReplayTask[],
  answers: Map<ReplayTask, JobAnswer>,
  all: number,
  options: BatchOptions,
) {
  // The longest first, so that no thread is left alone with one at the end.
  const waiting = [...tasks].sort((a, b) => b.bytes - a.bytes);
  const bytes = sumOf(tasks, (task) => task.bytes);
  let bytesDone = 0;
  let notKept: string | undefined;
  // Always a thread, so that this one is free to hear the signal.
  const newRunner = () => threadRunner(options.thread);
  const show = ({ job }: ReplayTask): void =>
    options.onProgress?.({ done: answers.size, all, bytesDone, bytes, name: job.name });
  const work = async () => {
    let runner = newRunner();
    const stop = (): unknown => runner.end();
    options.signal?.addEventListener("abort", stop);
    for (let task = waiting.shift(); task && !options.signal?.aborted; task = waiting.shift()) {
      show(task);
      const answer = await answerOf(runner, task);
      if (options.signal?.aborted) break;
      if (answer.isLost) runner = newRunner();
      answers.set(task, answer.given);
      if (answer.given.kind === "replayed") notKept ??= keep(task, answer.given.replayed, options.known);
      bytesDone += task.bytes;
      show(task);
    }
    options.signal?.removeEventListener("abort", stop);
    await runner.end();
  };
  await Promise.all(Array.from({ length: Math.min(options.jobs, waiting.length) }, work));
  return notKept;
}

async function answerOf(
  runner: JobRunner,
  { job }: ReplayTask,
): Promise<{ given: JobAnswer; isLost: boolean }> {
  try {
    return { given: await runner.run(job), isLost: false };
  } catch (error) {
    return { given: { kind: "left-out", ...refusalOf(error) }, isLost: true };
  }
}

/** A write error costs the stored copy, not the results. */
function keep({ job, content, before }: ReplayTask, fresh: readonly Replayed[], known: KnownResults) {
  if (content === undefined) return undefined;
  try {
    known.keep(job, content, [...before.values(), ...fresh]);
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}

function collectAnswers(
  tasks: readonly ReplayTask[],
  answers: ReadonlyMap<ReplayTask, JobAnswer>,
  policies: readonly Policy[],
): Pick<Batch, "replayed" | "leftOut"> {
  const replayed: Replayed[] = [];
  const leftOut: ({ file: string } & ReplayRefusal)[] = [];
  for (const task of tasks) {
    const answer = answers.get(task);
    if (answer?.kind === "left-out") {
      const { kind: _, ...why } = answer;
      leftOut.push({ file: task.job.file, ...why });
    }
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
