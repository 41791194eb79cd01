// `throughline import`: past sessions from transcripts and claude-mem.

import { existsSync, readFileSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { agents } from "../../../agents/index.ts";
import { claudeFolders, currentExclusion, workerSocket } from "../../../home/index.ts";
import {
  type FoundSource,
  type FoundSources,
  findSources,
  type ImportAnswer,
  type ImportedSource,
  type ImportSource,
  type PreviewedSource,
  UnreadableSource,
  writeOutOpenCode,
} from "../../../importer/index.ts";
import { ask, type Reply } from "../../../ipc/index.ts";
import {
  defined,
  isObject,
  isoTime,
  notFoundError,
  parseJson,
  statIfThere,
  sumOf,
  ThroughlineError,
  usageError,
} from "../../../lib/index.ts";
import { previewImport, type WordingProgress } from "../../../worker/index.ts";
import { defineCommand, flag, integer, optional } from "../../command.ts";
import { type CommandContext, commandContext, ownConfig, withDatabase } from "../../context.ts";
import { exitCodes } from "../../output.ts";
import { type ImportProgress, importProgress, noProgress } from "../../progress.ts";
import { ensureWorker } from "../../runningWorker.ts";
import { screenOf } from "../../terminal.ts";
import {
  closingText,
  type FailedImport,
  passedOverLines,
  previewText,
  sumsOf,
  transcriptsOf,
} from "./report.ts";

const expanded = (place: string, home: string) => place.replace(/^~(?=$|[\\/])/, home);

/** The data folder of claude-mem, from the environment or its own settings. */
function claudeMemFolder(env: CommandContext["env"], home: string) {
  const usual = path.join(home, ".claude-mem");
  if (env.CLAUDE_MEM_DATA_DIR) return expanded(env.CLAUDE_MEM_DATA_DIR, home);
  const file = path.join(usual, "settings.json");
  const settings = existsSync(file) ? parseJson(readFileSync(file, "utf8")) : undefined;
  const values = isObject(settings) && isObject(settings.env) ? settings.env : settings;
  const folder = isObject(values) ? values.CLAUDE_MEM_DATA_DIR : undefined;
  return typeof folder === "string" && folder !== "" ? expanded(folder, home) : usual;
}

/** The named place, or where the agents and claude-mem keep their data. Throws `not-found` for a named place that does not exist. */
export function importPlaces(
  named: string | undefined,
  { env, cwd }: Pick<CommandContext, "env" | "cwd">,
  home: string = homedir(),
): readonly string[] {
  if (named !== undefined) {
    const place = path.resolve(cwd, expanded(named, home));
    if (statIfThere(place)) return [place];
    throw notFoundError(
      `${place} does not exist`,
      "name a folder of transcripts, a transcript, or a claude-mem database; without a path the usual places are searched",
    );
  }
  const transcripts = claudeFolders(env, home).map((folder) => path.join(folder, "projects"));
  const database = path.join(claudeMemFolder(env, home), "claude-mem.db");
  const others = agents.flatMap((agent) => agent.sessionFolders({ env, homeFolder: home }));
  return [...transcripts, ...others, database].map((place) => path.resolve(place));
}

/** Sessions in databases of agents, written out as files for as long as they are imported. */
async function withDatabases<T>(
  named: string | undefined,
  work: (places: readonly string[]) => Promise<T>,
): Promise<T> {
  const { env, home } = commandContext();
  const files = agents.flatMap((agent) => agent.sessionDatabase?.({ env, homeFolder: homedir() }) ?? []);
  const there = named === undefined ? files.filter((file) => existsSync(file)) : [];
  // In one place every time: a session that was imported whole is known by its file.
  const folder = path.join(home.state, "imported");
  try {
    for (const file of there) await writeOutOpenCode(file, folder);
    return await work(there.length === 0 ? [] : [folder]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const IMPORT_TIMEOUT_MS = 30_000;
const PROGRESS_POLL_MS = 250;
/** Workers that may exit while they import the same source, which may be the reason. */
const MOST_WORKERS = 5;

/** The answer; undefined when no worker runs, or it has just exited. */
function answerIn<T = ImportAnswer>(reply: Reply) {
  if (typeof reply === "string") return undefined;
  if (reply.ok) return reply.data as T;
  const { code, message, fix } = reply.error;
  if (code === "worker-absent") return undefined;
  throw new ThroughlineError(
    "worker-failed",
    `the import cannot continue (${code}): ${message}`,
    `${fix ?? "see `throughline worker logs`"}; then \`throughline import\` continues from there`,
  );
}

/** Imports through a worker; starts another when one exits. Throws when no worker can do it. */
export function importDriver(around: Pick<CommandContext, "home" | "env">) {
  const socket = workerSocket(around.home);
  let workers = 0;
  const asked = async (args: object) => {
    for (;;) {
      const answer = answerIn(await ask(socket, "import", { args, timeoutMs: IMPORT_TIMEOUT_MS }));
      if (answer) return answer;
      workers += 1;
      if (workers > MOST_WORKERS) {
        throw new ThroughlineError(
          "worker-failed",
          "the worker exits repeatedly",
          "`throughline worker logs` may show why; then `throughline import` continues from there",
        );
      }
      await ensureWorker(around);
    }
  };
  return {
    /** `onShare` receives the share that is done, from 0 to 1. */
    async run(source: ImportSource, onShare: (share: number) => void) {
      workers = 0;
      for (;;) {
        const { source: progress } = await asked(source);
        if (progress?.state === "done") return progress.report;
        if (progress?.state === "failed") return progress;
        if (progress) onShare(progress.share);
      }
    },
    /** Waits until every imported turn is observed. */
    async observed(onLeft: (left: number) => void) {
      workers = 0;
      for (;;) {
        const { workLeft } = await asked({});
        if (workLeft === 0) return;
        onLeft(workLeft);
        await sleep(PROGRESS_POLL_MS);
      }
    },
  };
}

/** Processes the sources one by one; a failure is recorded and the next one is processed. */
async function processAll<T extends ImportedSource | PreviewedSource>(
  sources: readonly FoundSource[],
  progress: ImportProgress,
  work: (source: FoundSource, onShare: (share: number) => void) => Promise<T | Omit<FailedImport, "file">>,
) {
  const done: ({ file: string; bytes: number } & T)[] = [];
  const failed: FailedImport[] = [];
  let before = 0;
  for (const [at, source] of sources.entries()) {
    const { kind, file, bytes } = source;
    const what = kind === "claude-mem" ? "claude-mem" : `session ${at + 1} of ${sources.length}`;
    progress.show(before, what);
    const outcome = await work(source, (share) => progress.show(before + share * bytes, what));
    if ("problem" in outcome) failed.push({ file, ...outcome });
    else done.push({ file, bytes, ...outcome });
    before += bytes;
  }
  return { done, failed };
}

/** Rows and bytes of the database, and the title of the newest observation up to `until`. */
async function storedNow(until?: string) {
  try {
    return await withDatabase(async (store) => {
      const { counts, bytes } = await store.stats();
      const to = until && isoTime(Date.parse(until) + 1);
      const [newest] = (await store.observations({ limit: 1, ...defined({ to }) })).items;
      return { counts, bytes, newest: newest?.title };
    }, "read");
  } catch (error) {
    if (error instanceof ThroughlineError && error.code === "not-found")
      return { counts: { observations: 0, summaries: 0 }, bytes: 0, newest: undefined };
    throw error;
  }
}

async function importAll({ sources, passedOver }: FoundSources, progress: ImportProgress) {
  const began = performance.now();
  const before = await storedNow();
  const driver = importDriver(commandContext());
  const { done, failed } = await processAll<ImportedSource>(sources, progress, driver.run);
  const total = sumOf(sources, ({ bytes }) => bytes);
  await driver.observed((left) => progress.show(total, `observing turns, ${left} calls left`));
  progress.clear();
  const after = await storedNow(sumsOf(transcriptsOf(done)).to);
  const tookMs = Math.round(performance.now() - began);
  const grown = {
    observations: after.counts.observations - before.counts.observations,
    summaries: after.counts.summaries - before.counts.summaries,
  };
  const facts = { failed, passedOver, grown, databaseBytes: after.bytes, tookMs };
  const isWhole =
    failed.length === 0 && done.every((one) => one.kind !== "transcript" || one.problemCount === 0);
  return {
    data: { imported: done, ...facts, bytes: total },
    text: closingText({ done, ...facts, ...defined({ example: after.newest }) }),
    exitCode: isWhole ? exitCodes.ok : exitCodes.degraded,
  };
}

async function previewAll({ sources, passedOver }: FoundSources, progress: ImportProgress) {
  const { home, env } = commandContext();
  const preview = await previewImport(home, currentExclusion(home, env));
  const { signal } = new AbortController();
  try {
    const found = await processAll<PreviewedSource>(sources, progress, async (source, onShare) => {
      try {
        return await preview.of(source, { signal, onProgress: onShare });
      } catch (error) {
        if (error instanceof UnreadableSource) return { problem: error.message };
        throw error;
      }
    });
    progress.clear();
    const summary = { ...found, passedOver };
    return { data: { dryRun: true, ...summary }, text: previewText(summary) };
  } finally {
    await preview.close();
  }
}

/** Reports that there is nothing to import; an error for a place that was named. */
function nothingFound({ passedOver }: FoundSources, places: readonly string[], isNamed: boolean) {
  const found = passedOverLines(passedOver);
  if (isNamed) {
    // For a named file its own problem is enough.
    const own = passedOver.find(({ file }) => places.includes(file))?.problem;
    const why = own ?? found.map((line) => line.trim()).join("; ");
    const seen = why === "" ? "" : ` (${why})`;
    const isExport = passedOver.some(({ why }) => why === "export");
    throw notFoundError(
      `nothing to import in ${places.join(", ")}${seen}`,
      isExport
        ? "throughline data import FILE"
        : "name a folder of an agent's transcripts, one of them, or a claude-mem database",
    );
  }
  const text = ["There is nothing to import. Looked in:", ...places.map((place) => `  ${place}`), ...found];
  return { data: { imported: [], failed: [], passedOver, places }, text };
}

/** Before anything is imported: a run of hours must not end with this. */
function requireModel(tokens: number | undefined) {
  if (tokens === undefined || ownConfig().values.llm.provider !== "none") return;
  throw usageError(
    "--word needs a model, and llm.provider is none",
    "throughline config set llm.provider claude-cli, then again",
  );
}

async function wordImported(tokens: number, progress: ImportProgress): Promise<WordingProgress> {
  const around = commandContext();
  const socket = workerSocket(around.home);
  for (let workers = 0; ; ) {
    const reply = await ask(socket, "word", { args: { tokens }, timeoutMs: IMPORT_TIMEOUT_MS });
    const worded = answerIn<WordingProgress>(reply);
    if (!worded) {
      workers += 1;
      if (workers > MOST_WORKERS)
        return { state: "failed", turns: 0, tokens: 0, problem: "no worker answers" };
      await ensureWorker(around);
      continue;
    }
    if (worded.state !== "running") {
      progress.clear();
      return worded;
    }
    progress.show(Number.POSITIVE_INFINITY, `worded ${worded.turns} turns, ${worded.tokens} tokens`);
  }
}

const wordedEnds = {
  done: "all imported turns are worded",
  spent: "the tokens are used up; the same command goes on from there",
  running: "",
  failed: "stopped; the same command goes on from there",
} as const;

function wordedText({ state, turns, tokens, problem }: WordingProgress) {
  const why = problem === undefined ? "" : `: ${problem}`;
  return `worded ${turns} turns with ${tokens.toLocaleString("en-US")} tokens; ${wordedEnds[state]}${why}`;
}

const importCommand = defineCommand({
  args: {
    path: optional(
      "a folder of transcripts, one transcript, or a claude-mem database (default: where the agents and claude-mem keep them); for a file of `throughline data export` use `throughline data import`",
    ),
    "dry-run": flag("show what would be stored and store nothing"),
    word: integer(
      "tokens",
      "then let the model of `llm` word imported turns, newest session first, until so many tokens are taken; the next run goes on from there",
    ),
    quiet: flag("no progress on standard error", { short: "q" }),
  },
  examples: {
    "throughline import": "every session of the agents on this machine, and the data of claude-mem",
    "throughline import --dry-run": "what that would store",
    "throughline import --word 500000": "and word what was imported with at most some 500,000 tokens",
    "throughline import ~/backup/projects": "the sessions in a folder",
    "throughline import ~/.claude-mem/claude-mem.db": "the data of claude-mem only",
  },
  run: ({ args }) => withDatabases(args.path, (written) => importFrom(written, args)),
});

interface ImportArguments {
  readonly path?: string | undefined;
  readonly "dry-run": boolean;
  readonly word?: number | undefined;
  readonly quiet: boolean;
  readonly json: boolean;
}

async function importFrom(written: readonly string[], args: ImportArguments) {
  const places = [...importPlaces(args.path, commandContext()), ...written];
  const found = await findSources(places);
  if (found.sources.length === 0) return nothingFound(found, places, args.path !== undefined);
  const total = sumOf(found.sources, ({ bytes }) => bytes);
  const isQuiet = args.quiet || args.json;
  const progress = isQuiet ? noProgress : importProgress({ total, stream: screenOf("stderr") });
  if (args["dry-run"]) return previewAll(found, progress);
  requireModel(args.word);
  const report = await importAll(found, progress);
  if (args.word === undefined) return report;
  const worded = await wordImported(args.word, progress);
  return {
    data: { ...report.data, worded },
    text: [report.text, wordedText(worded)].flat(),
    exitCode: worded.state === "failed" ? exitCodes.degraded : report.exitCode,
  };
}

export default { import: importCommand };
