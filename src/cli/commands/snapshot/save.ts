// `throughline snapshot save`: a snapshot of the session that was last active in a project, as before a compaction.
import { readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import {
  currentExclusion,
  excludedError,
  projectOf,
  rememberingExclusion,
  sessionPlace,
} from "../../../home/index.ts";
import { systemClock, systemErrorCode, ThroughlineError, timeOrderedId } from "../../../lib/index.ts";
import { redactText } from "../../../redact/index.ts";
import {
  compactedPart,
  journalIn,
  projectStateReaders,
  saveSnapshot,
  snapshotKey,
} from "../../../snapshot/index.ts";
import { readConversation, type TranscriptItem } from "../../../transcript/index.ts";
import { defineCommand } from "../../command.ts";
import { here, projectArgument } from "./context.ts";

/** Where Claude Code keeps the transcripts of sessions that were started in a folder. */
function transcriptFolder(project: string): string {
  const claude = process.env.CLAUDE_CONFIG_DIR || path.join(homedir(), ".claude");
  return path.join(claude, "projects", project.replace(/[^A-Za-z0-9]/g, "-"));
}

function latestTranscript(project: string): string {
  const folder = transcriptFolder(project);
  const changed = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  try {
    const files = readdirSync(folder)
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => path.join(folder, name))
      .sort((a, b) => changed(b) - changed(a));
    if (files[0] !== undefined) return files[0];
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT") throw error;
  }
  throw new ThroughlineError("not-found", `no session was started in ${project} (${folder})`, {
    fix: "name its transcript: --transcript FILE",
  });
}

export default defineCommand({
  args: {
    ...projectArgument,
    transcript: {
      type: "string",
      valueHint: "file",
      description: "the session's transcript; the one written last unless given",
    },
  },
  examples: [
    { line: "throughline snapshot save", does: "of the latest session in this folder" },
    { line: "throughline snapshot save --transcript session.jsonl", does: "of a session you name" },
  ],
  async run({ args }) {
    const { home, project, settings, vault } = here(args.project);
    const isExcluded = currentExclusion(home, process.env);
    if (isExcluded(project)) throw excludedError(project);
    const told = await readConversation(args.transcript ?? latestTranscript(project));
    const session = told.sessionId ?? "unknown";
    const now = systemClock.now();
    const { start, end } = compactedPart(told, { at: now, isBefore: true });
    const isOut = rememberingExclusion(isExcluded);
    const before = (index: number): TranscriptItem[] =>
      told.items
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
