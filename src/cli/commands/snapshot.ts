// `throughline snapshot`: what is saved before a compaction, and what a starting session does with it.

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { loadConfig } from "../../config/index.ts";
import {
  currentExclusion,
  excludedError,
  languageOf,
  projectOf,
  rememberingExclusion,
  sessionPlace,
  vaultFolder,
} from "../../home/index.ts";
import { HOUR, notFoundError, systemClock, timeOrderedId } from "../../lib/index.ts";
import { redactText } from "../../redact/index.ts";
import {
  CONTEXT_LIMIT,
  cleanSnapshots,
  compactedPart,
  digestOf,
  type EvidencedStatement,
  journalIn,
  listSnapshots,
  pages,
  projectStateReaders,
  provenanceOf,
  readEvidence,
  readSnapshotKey,
  readSource,
  referenceIn,
  type SnapshotSettings,
  type StartOptions,
  saveSnapshot,
  snapshotKey,
  startSession,
} from "../../snapshot/index.ts";
import { readConversation } from "../../transcript/index.ts";
import { openVault, type Vault } from "../../vault/index.ts";
import { choice, defineCommand, defineGroup, flag, optional, value } from "../command.ts";
import { commandContext } from "../context.ts";
import { ageOf, columns } from "../output.ts";
import { transcriptFolder, transcriptsIn } from "../transcripts.ts";

const projectArgument = {
  project: value("folder", "the folder in which the agent is started (default: this one)"),
} as const;

/** Keeps the bytes of a snapshot in the vault before it is removed. */
export function keepInVault(vault: Vault): StartOptions["keep"] {
  return (bytes, { session = "unknown", name }) => {
    vault.put(bytes, { session, level: "snapshot", note: name });
  };
}

function snapshotContext(folder: string | undefined) {
  const { home, cwd, env } = commandContext();
  const project = path.resolve(cwd, folder ?? ".");
  const { locale, snapshot } = loadConfig({ home, cwd: project, env }).values;
  const vault = openVault(vaultFolder(home));
  const settings: SnapshotSettings = { ...snapshot, language: languageOf(locale, env) };
  return { home, project, settings, vault, keep: keepInVault(vault) };
}

/** The options of a session that would start now. */
async function startOptions(folder: string | undefined) {
  const { home, project, settings, keep } = snapshotContext(folder);
  const { hours, language } = settings;
  const provenance = await provenanceOf(home, project);
  const start = { project, session: "", source: "startup", now: systemClock.now(), hours, language } as const;
  return { ...start, ...provenance, keep };
}

function latestTranscript(project: string) {
  const folder = transcriptFolder(project);
  const [latest] = transcriptsIn([folder]);
  if (latest !== undefined) return latest;
  throw notFoundError(
    `no session was started in ${project} (${folder})`,
    "name its transcript: --transcript FILE",
  );
}

const save = defineCommand({
  summary: "snapshot this project's latest session now",

  args: {
    ...projectArgument,
    transcript: value("file", "the session's transcript (default: the newest)"),
  },
  examples: {
    "throughline snapshot save": "the latest session in this folder",
    "throughline snapshot save --transcript session.jsonl": "a session of your choice",
  },
  async run({ args }) {
    const { home, project, settings, vault } = snapshotContext(args.project);
    const isExcluded = currentExclusion(home, process.env);
    if (isExcluded(project)) throw excludedError(project);
    const conversation = await readConversation(args.transcript ?? latestTranscript(project));
    const session = conversation.sessionId ?? "unknown";
    const now = systemClock.now();
    const { start, end } = compactedPart(conversation, { at: now, isBefore: true });
    const isOut = rememberingExclusion(isExcluded);
    const before = (index: number) =>
      conversation.items
        .slice(0, index)
        .filter(({ isApiError, folders = [] }) => !isApiError && !folders.some(isOut));
    const saved = await saveSnapshot({
      project,
      session,
      now,
      history: before(end),
      windowStart: before(start).length,
      settings,
      vault,
      readers: projectStateReaders,
      redact: (text) => redactText(text).text,
      journal: journalIn(sessionPlace(home, projectOf(project).id, session).folder),
      occasion: timeOrderedId("by-hand", now),
      key: snapshotKey(home),
    });
    const { lines, ...data } = saved;
    return { data, text: lines };
  },
});

const decide = defineCommand({
  summary: "load or clean up, as a starting session would",

  args: {
    ...projectArgument,
    source: choice(["startup", "resume", "clear", "fork", "compact"], "why the session starts", "startup"),
    session: value("id", "the session that starts"),
    "dry-run": flag("show the decision and change nothing"),
  },
  examples: {
    "throughline snapshot decide": "as a new session would: removes expired snapshots",
    "throughline snapshot decide --source clear --dry-run": "what /clear would do",
  },
  async run({ args }) {
    const { lines, decision, file } = startSession({
      ...(await startOptions(args.project)),
      session: args.session ?? "",
      source: readSource(args.source),
      dryRun: args["dry-run"],
    });
    return { data: { ...decision, file: file ?? null, lines }, text: lines };
  },
});

const statementTitles: Readonly<Record<EvidencedStatement["kind"], string>> = {
  core: "Core content",
  next: "Next action",
  decision: "Key decision",
  failing: "Failed when it was last run",
};

/** Each statement, and below it the rows that it rests on. */
function explained(statements: readonly EvidencedStatement[]) {
  if (statements.length === 0) return "this snapshot states nothing, or was not written here";
  return statements.flatMap(({ kind, text, rows }) => [
    `${statementTitles[kind]}: ${text}`,
    ...(rows.length === 0 ? ["  from the files of the project's method"] : []),
    ...rows.map(({ id, excerpt }) => `  ${id}: ${excerpt}`),
  ]);
}

const show = defineCommand({
  summary: "a snapshot, its digest, or what its statements rest on",

  args: {
    name: optional("part of its name (default: the newest)"),
    ...projectArgument,
    digest: flag("what the model gets of it"),
    explain: flag("each statement with the rows of the transcript that it rests on"),
  },
  examples: {
    "throughline snapshot show": "the newest one",
    "throughline snapshot show 20260801 --digest": "what the model gets of one",
    "throughline snapshot show --explain": "why the newest one says what it says",
  },
  run({ args }) {
    const { home, project, settings } = snapshotContext(args.project);
    const wanted = args.name ?? "";
    const found = listSnapshots(project, readSnapshotKey(home)).find(
      ({ name, isLink }) => !isLink && name.includes(wanted),
    );
    if (!found) {
      const which = wanted === "" ? "no snapshot" : `no snapshot ${wanted}`;
      throw notFoundError(
        `there is ${which} in ${project}`,
        "`throughline snapshot list` lists them, `throughline snapshot save` takes one; `throughline recall` has the bytes of removed ones",
      );
    }
    const whole = readFileSync(found.file, "utf8");
    const { file, handles } = found;
    const nonce = randomBytes(4).toString("hex");
    const options = { file, handles, language: settings.language, budget: CONTEXT_LIMIT, nonce };
    const statements = found.ours ? readEvidence(whole) : [];
    const text = args.digest ? digestOf(whole, options) : whole;
    return {
      data: { file, session: found.session ?? null, whole: found.whole, statements, text },
      text: args.explain ? explained(statements) : text,
    };
  },
});

const list = defineCommand({
  summary: "the snapshots of this project",

  args: projectArgument,
  examples: { "throughline snapshot list": "the project in this folder" },
  async run({ args }) {
    const start = await startOptions(args.project);
    const { project, now } = start;
    // What the next session would remove is not valid.
    const { remove } = startSession({ ...start, dryRun: true }).decision;
    const references = pages.flatMap((page) => {
      const reference = referenceIn(project, page);
      return reference ? [{ page, name: reference.name }] : [];
    });
    const data = listSnapshots(project, start.key).map(
      ({ name, file, at, session = null, whole, ours, bytes }) => {
        const hours = at === undefined ? null : Math.round(((now - at) / HOUR) * 100) / 100;
        const page = references.find((reference) => reference.name === name)?.page ?? null;
        const valid = !remove.includes(name);
        return { name, file, session, hours, valid, whole, ours, bytes, page };
      },
    );
    const rows = data.map(({ name, hours, valid, whole, ours, session, page }) => [
      name,
      hours === null ? "unknown age" : ageOf(hours),
      whole ? (valid ? (ours ? "valid" : "foreign: never loaded") : "expired") : "damaged",
      session ?? "unknown",
      page === null ? "" : `← ${page}`,
    ]);
    return { data, text: rows.length === 0 ? `no snapshot in ${project}` : columns(rows) };
  },
});

const clean = defineCommand({
  summary: "remove snapshots and the reference to them",

  args: {
    ...projectArgument,
    expired: flag("only those that no session would load"),
  },
  examples: {
    "throughline snapshot clean": "all of them, and the reference",
    "throughline snapshot clean --expired": "only expired ones",
  },
  async run({ args }) {
    const options = await startOptions(args.project);
    const { removed, unreferenced, lines } = args.expired ? startSession(options) : cleanSnapshots(options);
    const text = removed.length + unreferenced.length === 0 ? "nothing to clean up" : lines;
    return { data: { removed, unreferenced }, text };
  },
});

export default {
  snapshot: defineGroup(
    { save, decide, show, list, clean },
    {
      "throughline snapshot save": "for example before you compact by hand",
      "throughline snapshot decide --dry-run": "what a new session would do, and why",
      "throughline snapshot clean": "remove all; the bytes can still be recalled",
    },
  ),
};
