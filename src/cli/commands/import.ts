// `throughline import`: the sessions a person had before, out of transcripts and claude-mem, into everything that is kept.
import { currentExclusion, databaseFile } from "../../home/index.ts";
import {
  type FoundSource,
  type FoundSources,
  findSources,
  type ImportedSource,
  type PreviewedSource,
  UnreadableSource,
} from "../../importer/index.ts";
import { ThroughlineError } from "../../lib/index.ts";
import { type Counts, openStore } from "../../store/index.ts";
import { previewImport } from "../../worker/index.ts";
import { defineCommand, type Report } from "../command.ts";
import { importDriver } from "../import/drive.ts";
import { importPlaces } from "../import/places.ts";
import { previewText } from "../import/previewReport.ts";
import { makeProgress, type Progress, silence } from "../import/progress.ts";
import { closingText, type FailedImport, passedOverLines, sumsOf, transcriptsOf } from "../import/report.ts";
import { exitCodes } from "../output.ts";
import { surroundings } from "../surroundings.ts";
import { screenOf } from "../terminal.ts";

/** Goes over the sources one by one; what one of them fails at is noted, and the next one is begun. */
async function goOver<T extends ImportedSource | PreviewedSource>(
  sources: readonly FoundSource[],
  progress: Progress,
  work: (source: FoundSource, onShare: (share: number) => void) => Promise<T | Omit<FailedImport, "file">>,
): Promise<{ done: ({ file: string; bytes: number } & T)[]; failed: FailedImport[] }> {
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

interface Kept {
  readonly counts: Pick<Counts, "observations" | "summaries">;
  readonly bytes: number;
  /** The title of what was learned last. */
  readonly newest?: string;
}

/** `until`: the title is of what was learned last before that. */
async function keptNow(until?: string): Promise<Kept> {
  try {
    const store = await openStore({
      file: databaseFile(surroundings().home),
      mustExist: true,
      readOnly: true,
    });
    const { counts, bytes } = await store.stats();
    const to = until === undefined ? {} : { to: new Date(Date.parse(until) + 1).toISOString() };
    const [newest] = (await store.observations({ limit: 1, ...to })).items;
    await store.close();
    return { counts, bytes, ...(newest === undefined ? {} : { newest: newest.title }) };
  } catch (error) {
    if (error instanceof ThroughlineError && error.code === "not-found")
      return { counts: { observations: 0, summaries: 0 }, bytes: 0 };
    throw error;
  }
}

async function importAll({ sources, passedOver }: FoundSources, progress: Progress): Promise<Report> {
  const began = performance.now();
  const before = await keptNow();
  const driver = importDriver(surroundings());
  const { done, failed } = await goOver<ImportedSource>(sources, progress, (source, onShare) =>
    driver.run(source, onShare),
  );
  const total = sources.reduce((sum, { bytes }) => sum + bytes, 0);
  await driver.observed((left) => progress.show(total, `observing turns, ${left} calls left`));
  progress.clear();
  const after = await keptNow(sumsOf(transcriptsOf(done)).to);
  const tookMs = Math.round(performance.now() - began);
  const grown = {
    observations: after.counts.observations - before.counts.observations,
    summaries: after.counts.summaries - before.counts.summaries,
  };
  const told = { done, failed, passedOver, grown, databaseBytes: after.bytes, tookMs };
  const isWhole =
    failed.length === 0 && done.every((one) => one.kind !== "transcript" || one.problemCount === 0);
  return {
    data: { imported: done, failed, passedOver, grown, databaseBytes: after.bytes, tookMs, bytes: total },
    text: closingText({ ...told, ...(after.newest === undefined ? {} : { example: after.newest }) }),
    exitCode: isWhole ? exitCodes.ok : exitCodes.degraded,
  };
}

async function previewAll({ sources, passedOver }: FoundSources, progress: Progress): Promise<Report> {
  const { home, env } = surroundings();
  const preview = await previewImport(home, currentExclusion(home, env));
  const { signal } = new AbortController();
  try {
    const found = await goOver<PreviewedSource>(sources, progress, async (source, onShare) => {
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

/** Says why there is nothing to do; a place that somebody named should have had something. */
function nothingThere({ passedOver }: FoundSources, places: readonly string[], isNamed: boolean): Report {
  const found = passedOverLines(passedOver);
  if (isNamed) {
    // Of a file that was named it is enough to say what is wrong with it.
    const own = passedOver.find(({ file }) => places.includes(file))?.problem;
    const why = own ?? found.map((line) => line.trim()).join("; ");
    const seen = why === "" ? "" : ` (${why})`;
    const isExport = passedOver.some(({ why }) => why === "export");
    throw new ThroughlineError("not-found", `nothing to import in ${places.join(", ")}${seen}`, {
      fix: isExport
        ? "throughline data import FILE"
        : "name a folder of Claude Code's transcripts, one of them, or a database of claude-mem",
    });
  }
  const text = ["There is nothing to import. Looked in:", ...places.map((place) => `  ${place}`), ...found];
  return { data: { imported: [], failed: [], passedOver, places }, text: text.join("\n") };
}

export default defineCommand({
  args: {
    path: {
      type: "positional",
      required: false,
      description:
        "a folder of transcripts, one transcript, or a database of claude-mem; looked for by itself unless given (a file of `throughline data export` goes to `throughline data import`)",
    },
    "dry-run": { type: "boolean", description: "show what would be stored and store nothing" },
    quiet: { type: "boolean", alias: "q", description: "no progress on standard error" },
  },
  examples: [
    {
      line: "throughline import",
      does: "every session of Claude Code on this machine, and what claude-mem knows",
    },
    { line: "throughline import --dry-run", does: "what that would store, without storing it" },
    { line: "throughline import ~/backup/projects", does: "the sessions in a folder" },
    {
      line: "throughline import ~/.claude-mem/claude-mem.db",
      does: "what claude-mem knows, and nothing else",
    },
  ],
  async run({ args }) {
    const { places, isNamed } = importPlaces(args.path, surroundings());
    const found = await findSources(places);
    if (found.sources.length === 0) return nothingThere(found, places, isNamed);
    const total = found.sources.reduce((sum, { bytes }) => sum + bytes, 0);
    const isQuiet = args.quiet === true || args.json === true;
    const progress = isQuiet ? silence : makeProgress({ total, stream: screenOf("stderr") });
    return args["dry-run"] === true ? previewAll(found, progress) : importAll(found, progress);
  },
});
