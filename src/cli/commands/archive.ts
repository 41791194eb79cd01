// `throughline archive`: conversations into files, which files there are, one of them, and how much room they take.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import {
  type ArchivedSession,
  type ArchiveReport,
  applyQuota,
  archiveFolder,
  archiveOptions,
  archiveTranscript,
  findArchive,
  listArchives,
  planQuota,
  readArchive,
  readMarkdown,
  transcriptFacts,
} from "../../archive/index.ts";
import type { Config } from "../../config/index.ts";
import { noteArchiveFolder } from "../../forget/index.ts";
import { currentExclusion, excludedError } from "../../home/index.ts";
import { claudePlaces } from "../../install/index.ts";
import { errorText, ThroughlineError } from "../../lib/index.ts";
import { archiveSettings } from "../../settings/index.ts";
import { findTranscripts } from "../../transcript/index.ts";
import { archivableInProcess } from "../../worker/index.ts";
import { defineCommand, type Report } from "../command.ts";
import { columns, exitCodes } from "../output.ts";
import { ownConfig, surroundings } from "../surroundings.ts";
import { paint } from "../terminal.ts";
import { counted } from "../wording.ts";

type Settings = Config["archive"];

interface Chosen {
  /** What holds everywhere. */
  readonly settings: Settings;
  /** What holds for the sessions of a folder. */
  readonly settingsFor: (cwd: string | undefined) => Settings;
  readonly dir: string;
  readonly group: string | undefined;
}

/** The settings, with the flags over them; as in the worker, a project says no more than its group and names. */
function chosen(args: { [flag in "group" | "format" | "dir"]?: string | undefined }): Chosen {
  const { home, cwd, env } = surroundings();
  const dir = args.dir === undefined ? undefined : path.resolve(cwd, args.dir);
  const flags = { "archive.group": args.group, "archive.format": args.format, "archive.dir": dir };
  const { archive: settings } = ownConfig(flags).values;
  const find = archiveSettings(home, env, flags);
  return {
    settings,
    settingsFor: (folder) => find(folder) ?? settings,
    dir: archiveFolder(settings, home),
    group: args.group,
  };
}

/** Every transcript of Claude Code on this machine; those of subagents belong to their sessions. */
function allTranscripts(): ReturnType<typeof findTranscripts> {
  const { env, cwd } = surroundings();
  const projects = path.join(claudePlaces(env, homedir(), cwd).configFolder, "projects");
  return existsSync(projects) ? findTranscripts([projects]) : { files: [], unsearched: [] };
}

interface Failed {
  readonly transcript: string;
  readonly problem: string;
}

async function archiveFiles(
  transcripts: readonly string[],
  { settingsFor }: Chosen,
  unsearched: readonly { readonly file: string; readonly reason: string }[] = [],
): Promise<Report> {
  const { home, env } = surroundings();
  const isExcluded = currentExclusion(home, env);
  const allowed = await archivableInProcess(home, isExcluded);
  const reports: (ArchiveReport & { transcript: string })[] = [];
  const failed: Failed[] = unsearched.map(({ file, reason }) => ({ transcript: file, problem: reason }));
  for (const transcript of transcripts) {
    try {
      const { session, cwd } = await transcriptFacts(transcript);
      if (isExcluded(cwd)) {
        if (transcripts.length === 1) throw excludedError(cwd);
        continue;
      }
      const options = archiveOptions(settingsFor(cwd), { home, cwd });
      noteArchiveFolder(home, options.dir);
      reports.push({
        transcript,
        ...(await archiveTranscript(transcript, { ...options, session, ...allowed })),
      });
    } catch (error) {
      // One transcript is the whole task; of many the others are still worth doing.
      if (transcripts.length === 1) throw error;
      failed.push({ transcript, problem: errorText(error) });
    }
  }
  const rows = reports
    .filter(({ outcome }) => transcripts.length === 1 || !["unchanged", "empty"].includes(outcome))
    .map(({ outcome, file, added, transcript }) => [outcome, file ?? transcript, counted(added, "part")]);
  const count = (outcome: string): number => reports.filter((report) => report.outcome === outcome).length;
  const summary = `${counted(reports.length, "session")}: ${count("created")} new, ${count("grown")} grown, ${count("unchanged")} unchanged, ${count("empty")} empty`;
  const lines = [
    ...(rows.length === 0 ? [] : [columns(rows)]),
    ...failed.map(({ transcript, problem }) => paint("yellow", `${transcript}: ${problem}`)),
    ...(transcripts.length === 1 ? [] : [summary]),
  ];
  return {
    data: { archived: reports, failed },
    text: lines.join("\n"),
    exitCode: failed.length > 0 ? exitCodes.degraded : exitCodes.ok,
  };
}

const day = (at: number): string => new Date(at).toISOString().slice(0, 10);
const kilobytes = (bytes: number): string => `${Math.ceil(bytes / 1_000).toLocaleString("en-US")} kB`;

function row({ changedAt, group, session, title, bytes, isCompressed }: ArchivedSession): string[] {
  const size = `${kilobytes(bytes)}${isCompressed ? " (compressed)" : ""}`;
  return [day(changedAt), group, session.slice(0, 8), size, title];
}

function list({ dir, group, settings: { maxBytes } }: Chosen): Report {
  const archives = listArchives(dir, group === undefined ? {} : { group });
  const { bytes } = planQuota(listArchives(dir), { maxBytes });
  const isOver = maxBytes > 0 && bytes > maxBytes;
  const warning = `all archives take ${kilobytes(bytes)}, more than archive.maxBytes; \`throughline archive tidy\` shows what can be done`;
  const text = archives.length === 0 ? `nothing is archived in ${dir}` : columns(archives.map(row));
  return {
    data: { dir, archives, bytes, maxBytes },
    text: isOver ? `${text}\n${paint("yellow", warning)}` : text,
  };
}

function show(wanted: string | undefined, { dir, group }: Chosen): Report {
  if (wanted === undefined) {
    throw new ThroughlineError("usage", "show needs a session", { fix: "throughline archive show ID" });
  }
  const archive = findArchive(dir, wanted, group === undefined ? {} : { group });
  const text = readArchive(archive);
  const content: unknown = archive.format === "md" ? readMarkdown(text) : JSON.parse(text);
  return { data: { ...archive, content }, text };
}

async function tidy(
  { dir, settings }: Chosen,
  { remove = false, yes = false }: { remove?: boolean | undefined; yes?: boolean | undefined },
): Promise<Report> {
  const { maxBytes } = settings;
  const plan = planQuota(listArchives(dir), { maxBytes, remove });
  const title = `${kilobytes(plan.bytes)} of archives; ${maxBytes === 0 ? "no limit is set" : `the limit is ${kilobytes(maxBytes)}`}`;
  if (plan.compress.length + plan.remove.length === 0) return { data: { plan, done: null }, text: title };
  const rows = [
    ...plan.compress.map((archive) => ["compress", ...row(archive)]),
    ...plan.remove.map((archive) => ["remove", ...row(archive)]),
  ];
  const isEnough = plan.expectedBytes <= maxBytes;
  if (!yes) {
    const more = isEnough ? "" : "\nThat is not enough; --remove lets the oldest go.";
    return {
      data: { plan, done: null },
      text: `${title}\n${columns(rows)}\nNothing was changed yet; --yes does it.${more}`,
    };
  }
  const done = await applyQuota(dir, plan);
  const said = `compressed ${done.compressed}, removed ${done.removed}; ${kilobytes(done.remainingBytes)} are left`;
  return { data: { plan, done }, text: `${title}\n${columns(rows)}\n${said}` };
}

export default defineCommand({
  args: {
    what: {
      type: "positional",
      required: false,
      description: "a transcript to archive, or: list, show ID, tidy",
    },
    id: { type: "positional", required: false, description: "with show: a session's id, or its beginning" },
    all: { type: "boolean", description: "archive every session of Claude Code on this machine" },
    group: { type: "string", description: "the group; without it a session's project" },
    format: { type: "enum", options: ["md", "json"], description: "the form of new archives" },
    dir: { type: "string", description: "the folder of all groups, instead of the one in the settings" },
    remove: { type: "boolean", description: "with tidy: let the oldest go when compression is not enough" },
    yes: { type: "boolean", description: "with tidy: do it; without it you only see what would be done" },
  },
  examples: [
    { line: "throughline archive session.jsonl", does: "one conversation into a file, or what is new of it" },
    { line: "throughline archive --all", does: "every session on this machine" },
    { line: "throughline archive list --group work", does: "what is archived in a group" },
    { line: "throughline archive show 5f1c", does: "one archive" },
    { line: "throughline archive tidy", does: "what would bring the archives under archive.maxBytes" },
  ],
  run({ args }) {
    const { what, id, all } = args;
    const choice = chosen(args);
    if (what === "show") return show(id, choice);
    if (id !== undefined) {
      throw new ThroughlineError("usage", `unexpected argument ${id}`, {
        fix: "`throughline archive --help` shows what it takes",
      });
    }
    if (what === "list") return list(choice);
    if (what === "tidy") return tidy(choice, args);
    if (what !== undefined) return archiveFiles([path.resolve(surroundings().cwd, what)], choice);
    if (all) {
      const { files, unsearched } = allTranscripts();
      return archiveFiles(files, choice, unsearched);
    }
    throw new ThroughlineError("usage", "archive needs a transcript, --all, list, show or tidy", {
      fix: "`throughline archive --help` shows what it takes",
    });
  },
});
