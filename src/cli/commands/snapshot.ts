// `throughline snapshot`: what is saved before a compaction, and what a starting session does with it.

import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { loadConfig } from "../../config/index.ts";
import {
  currentExclusion,
  excludedError,
  type Home,
  languageOf,
  projectOf,
  rememberingExclusion,
  sessionPlace,
  vaultFolder,
} from "../../home/index.ts";
import { HOUR, systemClock, systemErrorCode, ThroughlineError, timeOrderedId } from "../../lib/index.ts";
import { redactText } from "../../redact/index.ts";
import {
  CONTEXT_LIMIT,
  cleanSnapshots,
  compactedPart,
  digestOf,
  journalIn,
  listSnapshots,
  pages,
  projectStateReaders,
  provenanceOf,
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
import { choice, flag, optional, value } from "../arguments.ts";
import { defineCommand, defineGroup } from "../command.ts";
import { commandContext } from "../context.ts";
import { columns } from "../output.ts";
import { ageOf } from "../text.ts";

const projectArgument = {
  project: value("folder", "the folder in which the agent is started (default: this one)"),
} as const;

interface SnapshotContext {
  readonly home: Home;
  readonly project: string;
  readonly settings: SnapshotSettings;
  readonly vault: Vault;
  readonly keep: StartOptions["keep"];
}

function snapshotContext(folder: string | undefined): SnapshotContext {
  const { home, cwd, env } = commandContext();
  const project = path.resolve(cwd, folder ?? ".");
  const { locale, snapshot } = loadConfig({ home, cwd: project, env }).values;
  const vault = openVault(vaultFolder(home));
  return {
    home,
    project,
    settings: { ...snapshot, language: languageOf(locale, env) },
    vault,
    keep: (bytes, { session = "unknown", name }) => {
      vault.put(bytes, { session, level: "snapshot", note: name });
    },
  };
}

/** Where Claude Code keeps the transcripts of sessions that started in a folder. */
function transcriptFolder(project: string) {
  const claude = process.env.CLAUDE_CONFIG_DIR || path.join(homedir(), ".claude");
  return path.join(claude, "projects", project.replace(/[^A-Za-z0-9]/g, "-"));
}

function latestTranscript(project: string) {
  const folder = transcriptFolder(project);
  const changed = (file: string) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  try {
    const files = readdirSync(folder)
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => path.join(folder, name))
      .sort((a, b) => changed(b) - changed(a));
    if (files[0] !== undefined) return files[0];
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT") throw error;
  }
  throw new ThroughlineError(
    "not-found",
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
    const { lines, preservation: _, ...data } = saved;
    return { data, text: lines.join("\n") };
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
    const { home, project, settings, keep } = snapshotContext(args.project);
    const { lines, decision, file } = startSession({
      project,
      session: args.session ?? "",
      source: readSource(args.source),
      now: systemClock.now(),
      hours: settings.hours,
      language: settings.language,
      keep,
      ...(await provenanceOf(home, project)),
      dryRun: args["dry-run"],
    });
    return { data: { ...decision, file: file ?? null, lines }, text: lines.join("\n") };
  },
});

const show = defineCommand({
  summary: "a snapshot, or its digest",

  args: {
    name: optional("part of its name (default: the newest)"),
    ...projectArgument,
    digest: flag("what the model gets of it"),
  },
  examples: {
    "throughline snapshot show": "the newest one",
    "throughline snapshot show 20260801 --digest": "what the model gets of one",
  },
  run({ args }) {
    const { home, project, settings } = snapshotContext(args.project);
    const wanted = args.name ?? "";
    const found = listSnapshots(project, readSnapshotKey(home)).find(
      ({ name, isLink }) => !isLink && name.includes(wanted),
    );
    if (!found) {
      const which = wanted === "" ? "no snapshot" : `no snapshot ${wanted}`;
      throw new ThroughlineError(
        "not-found",
        `there is ${which} in ${project}`,
        "`throughline snapshot list` lists them; `throughline recall` has removed ones",
      );
    }
    const whole = readFileSync(found.file, "utf8");
    const { file, handles } = found;
    const nonce = randomBytes(4).toString("hex");
    const options = { file, handles, language: settings.language, budget: CONTEXT_LIMIT, nonce };
    const text = args.digest ? digestOf(whole, options) : whole;
    return { data: { file, session: found.session ?? null, whole: found.whole, text }, text };
  },
});

const list = defineCommand({
  summary: "the snapshots of this project",

  args: projectArgument,
  examples: { "throughline snapshot list": "the project in this folder" },
  async run({ args }) {
    const { home, project, settings, keep } = snapshotContext(args.project);
    const now = systemClock.now();
    const { hours: validity, language } = settings;
    const start = { project, session: "", source: "startup", now, hours: validity, language } as const;
    const provenance = await provenanceOf(home, project);
    // What the next session would remove is not valid.
    const { remove } = startSession({ ...start, ...provenance, keep, dryRun: true }).decision;
    const references = pages.flatMap((page) => {
      const reference = referenceIn(project, page);
      return reference ? [{ page, name: reference.name }] : [];
    });
    const data = listSnapshots(project, provenance.key).map(
      ({ name, file, at, session, whole, ours, bytes }) => {
        const hours = at === undefined ? null : Math.round(((now - at) / HOUR) * 100) / 100;
        const page = references.find((reference) => reference.name === name)?.page ?? null;
        return {
          name,
          file,
          session: session ?? null,
          hours,
          valid: !remove.includes(name),
          whole,
          ours,
          bytes,
          page,
        };
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
    const { home, project, settings, keep } = snapshotContext(args.project);
    const { hours, language } = settings;
    const shared = {
      project,
      session: "",
      source: "startup",
      now: systemClock.now(),
      hours,
      language,
      keep,
      ...(await provenanceOf(home, project)),
    } as const;
    const { removed, unreferenced, lines } = args.expired ? startSession(shared) : cleanSnapshots(shared);
    const text = removed.length + unreferenced.length === 0 ? "nothing to clean up" : lines.join("\n");
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
