// `throughline archive`: conversations as files.

import { existsSync } from "node:fs";
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
  searchArchives,
  transcriptFacts,
} from "../../archive/index.ts";
import { noteArchiveFolder } from "../../forget/index.ts";
import { currentExclusion, excludedError } from "../../home/index.ts";
import { defined, errorText, present, usageError } from "../../lib/index.ts";
import { archiveSettings } from "../../settings/index.ts";
import { findTranscripts } from "../../transcript/index.ts";
import { archivableInProcess } from "../../worker/index.ts";
import { choice, defineCommand, flag, integer, optional, value } from "../command.ts";
import { commandContext, ownConfig } from "../context.ts";
import { columns, counted, exitCodes, formatNumber, localMinute } from "../output.ts";
import { paint } from "../terminal.ts";
import { claudeFolder } from "../transcripts.ts";

type ArchiveChoice = ReturnType<typeof choiceFrom>;

/** The user's settings with the flags applied. As in the worker, a project sets only its group and names: `settingsFor` a folder has them. */
function choiceFrom(args: { [flag in "group" | "format" | "content" | "dir"]?: string | undefined }) {
  const { home, cwd, env } = commandContext();
  const dir = args.dir === undefined ? undefined : path.resolve(cwd, args.dir);
  const flags = {
    "archive.group": args.group,
    "archive.format": args.format,
    "archive.content": args.content,
    "archive.dir": dir,
  };
  const { archive: settings } = ownConfig(flags).values;
  const find = archiveSettings(home, env, flags);
  return {
    settings,
    settingsFor: (folder: string | undefined) => find(folder) ?? settings,
    dir: archiveFolder(settings, home),
    group: args.group,
  };
}

/** Every transcript of Claude Code on this machine, without those of subagents, which belong to their sessions. */
function allTranscripts() {
  const projects = path.join(claudeFolder(), "projects");
  return existsSync(projects) ? findTranscripts([projects]) : { files: [], unsearched: [] };
}

async function archiveFiles(
  transcripts: readonly string[],
  { settingsFor }: ArchiveChoice,
  unsearched: readonly { readonly file: string; readonly reason: string }[] = [],
) {
  const { home, env } = commandContext();
  const isExcluded = currentExclusion(home, env);
  const allowed = await archivableInProcess(home, isExcluded);
  const reports: (ArchiveReport & { transcript: string })[] = [];
  const failed = unsearched.map(({ file, reason }) => ({ transcript: file, problem: reason }));
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
      // A single transcript is the whole task; with many, the others are still archived.
      if (transcripts.length === 1) throw error;
      failed.push({ transcript, problem: errorText(error) });
    }
  }
  const rows = reports
    .filter(({ outcome }) => transcripts.length === 1 || !["unchanged", "empty"].includes(outcome))
    .map(({ outcome, file, added, transcript }) => [outcome, file ?? transcript, counted(added, "part")]);
  const count = (outcome: string) => reports.filter((report) => report.outcome === outcome).length;
  const summary = `${counted(reports.length, "session")}: ${count("created")} new, ${count("grown")} grown, ${count("unchanged")} unchanged, ${count("empty")} empty`;
  return {
    data: { archived: reports, failed },
    text: [
      rows.length > 0 && columns(rows),
      ...failed.map(({ transcript, problem }) => paint("yellow", `${transcript}: ${problem}`)),
      transcripts.length !== 1 && summary,
    ],
    exitCode: failed.length > 0 ? exitCodes.degraded : exitCodes.ok,
  };
}
const kilobytes = (bytes: number) => `${formatNumber(Math.ceil(bytes / 1_000))} kB`;

function archiveRow({ beganAt, group, session, title, bytes, isCompressed }: ArchivedSession) {
  const size = `${kilobytes(bytes)}${isCompressed ? " (compressed)" : ""}`;
  return [localMinute(beganAt).slice(0, 10), group, session.slice(0, 8), size, title];
}

function listSessions({ dir, group, settings: { maxBytes } }: ArchiveChoice) {
  const archives = listArchives(dir, defined({ group })).toSorted((a, b) => b.beganAt - a.beganAt);
  const { bytes } = planQuota(listArchives(dir), { maxBytes });
  const isOver = maxBytes > 0 && bytes > maxBytes;
  const warning = `all archives take ${kilobytes(bytes)}, more than archive.maxBytes; \`throughline archive tidy\` shows what would help`;
  const text = archives.length === 0 ? `there are no archives in ${dir}` : columns(archives.map(archiveRow));
  return {
    data: { dir, archives, bytes, maxBytes },
    text: [text, isOver && paint("yellow", warning)],
  };
}

function showArchive(wanted: string | undefined, { dir, group }: ArchiveChoice) {
  if (wanted === undefined) throw usageError("show needs a session", "throughline archive show ID");
  const archive = findArchive(dir, wanted, defined({ group }));
  const text = readArchive(archive);
  const content: unknown = archive.format === "md" ? readMarkdown(text) : JSON.parse(text);
  return { data: { ...archive, content }, text };
}

const MOST_HITS = 10;

function search(words: readonly string[], { dir, group }: ArchiveChoice, limit = MOST_HITS) {
  const query = words.join(" ");
  if (query.trim() === "") throw usageError("search needs words", "throughline archive search WORDS");
  const { hits, unreadable } = searchArchives(listArchives(dir, defined({ group })), query);
  const shown = hits.slice(0, limit);
  const lines = shown.flatMap((hit) => [
    paint("bold", columns([archiveRow(hit)])),
    ...hit.snippets.map(({ label, text }) => `    ${label}: ${text}`),
  ]);
  return {
    data: { dir, query, hits: shown, more: hits.length - shown.length, unreadable },
    text: [
      lines.join("\n") || "Nothing was found.",
      hits.length > shown.length &&
        `${counted(hits.length - shown.length, "more archive")}; --limit shows them.`,
      ...unreadable.map((file) => paint("yellow", `${file} could not be read`)),
    ],
  };
}

async function tidyArchives(
  { dir, settings }: ArchiveChoice,
  { remove, yes }: { remove: boolean; yes: boolean },
) {
  const { maxBytes } = settings;
  const plan = planQuota(listArchives(dir), { maxBytes, remove });
  const title = `${kilobytes(plan.bytes)} of archives; ${maxBytes === 0 ? "no limit is set" : `the limit is ${kilobytes(maxBytes)}`}`;
  const rows = (["compress", "remove"] as const).flatMap((step) =>
    plan[step].map((archive) => [step, ...archiveRow(archive)]),
  );
  if (rows.length === 0) return { data: { plan, done: null }, text: title };
  const done = yes ? await applyQuota(dir, plan) : null;
  return {
    data: { plan, done },
    text: [
      title,
      columns(rows),
      done
        ? `compressed ${done.compressed}, removed ${done.removed}; ${kilobytes(done.remainingBytes)} remain`
        : "Nothing was changed yet; --yes applies it.",
      !done && plan.expectedBytes > maxBytes && "That is not enough; --remove deletes the oldest.",
    ],
  };
}

const archive = defineCommand({
  args: {
    what: optional("a transcript to archive, or: list, show ID, search WORDS, tidy"),
    id: optional("with show: a session id, or the start of one; with search: a word"),
    all: flag("archive every session of Claude Code on this machine"),
    group: value("group", "the group (default: the session's project)"),
    format: choice(["md", "json"], "the format of new archives"),
    content: choice(["full", "conversation"], "what new archives hold"),
    limit: integer("n", `with search: how many archives (default: ${MOST_HITS})`),
    dir: value("dir", "the folder of all groups, instead of the one in the settings"),
    remove: flag("with tidy: delete the oldest when compression is not enough"),
    yes: flag("with tidy: apply the plan; without it nothing changes"),
  },
  rest: "words",
  examples: {
    "throughline archive session.jsonl": "write one conversation to a file, or append what is new",
    "throughline archive --all": "every session on this machine",
    "throughline archive list --group work": "what is archived in a group",
    "throughline archive show 5f1c": "one archive",
    "throughline archive search retry queue": "archives that hold all of these words, with snippets",
    "throughline archive tidy": "what would bring the archives under archive.maxBytes",
  },
  run({ args, rest }) {
    const { what, id, all } = args;
    const choice = choiceFrom(args);
    if (what === "search") return search(present([id, ...rest]), choice, args.limit);
    const extra = what === "show" ? rest[0] : (id ?? rest[0]);
    if (extra !== undefined) throw usageError(`unexpected argument ${extra}`);
    if (what === "show") return showArchive(id, choice);
    if (what === "list") return listSessions(choice);
    if (what === "tidy") return tidyArchives(choice, args);
    if (what !== undefined) return archiveFiles([path.resolve(commandContext().cwd, what)], choice);
    if (all) {
      const { files, unsearched } = allTranscripts();
      return archiveFiles(files, choice, unsearched);
    }
    throw usageError("archive needs a transcript, --all, list, show, search or tidy");
  },
});

export default { archive };
