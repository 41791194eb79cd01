// Past conversations, for questions that no memory answers: archives first, then the transcripts of the agent.
import { existsSync, readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { archiveFolder, listArchives, readArchive } from "../../../archive/index.ts";
import { projectOf } from "../../../home/index.ts";
import { claudePlaces } from "../../../install/index.ts";
import { claudeProjectFolder } from "../../../memdir/index.ts";
import { redactText } from "../../../redact/index.ts";
import { readConversation } from "../../../transcript/index.ts";
import { currentConfig, ownConfig, surroundings } from "../../surroundings.ts";

interface Line {
  readonly from: "archive" | "transcript";
  readonly session: string;
  readonly text: string;
}

const MOST_LINES = 20;
const MOST_TRANSCRIPTS = 20;
const LONGEST = 300;

function linesWith(query: string): (text: string) => string[] {
  const words = query.toLowerCase().split(/\s+/);
  return (text) =>
    text
      .split("\n")
      .filter((line) => words.every((word) => line.toLowerCase().includes(word)))
      .map((line) => line.trim().slice(0, LONGEST));
}

function inArchives(matching: (text: string) => string[]): Line[] {
  const { home, cwd } = surroundings();
  const group = currentConfig().values.archive.group || projectOf(cwd).id;
  const found: Line[] = [];
  for (const archived of listArchives(archiveFolder(ownConfig().values.archive, home), { group })) {
    for (const text of matching(readArchive(archived)))
      found.push({ from: "archive", session: archived.session, text });
    if (found.length >= MOST_LINES) break;
  }
  return found.slice(0, MOST_LINES);
}

/** The transcripts of this project, newest first. */
function transcripts(): string[] {
  const { env, cwd } = surroundings();
  const { configFolder } = claudePlaces(env, homedir(), cwd);
  const folders = [...new Set([projectOf(cwd).root, cwd])].map((each) =>
    claudeProjectFolder(configFolder, each),
  );
  return folders
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((name) => path.join(folder, name)))
    .filter((file) => file.endsWith(".jsonl"))
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)
    .slice(0, MOST_TRANSCRIPTS);
}

async function inTranscripts(matching: (text: string) => string[]): Promise<Line[]> {
  const found: Line[] = [];
  for (const file of transcripts()) {
    const { items } = await readConversation(file);
    for (const { message } of items) {
      const texts =
        typeof message.content === "string" ? [message.content] : message.content.map(({ text }) => text);
      // Archives are redacted; a transcript holds whatever was said.
      for (const text of texts.flatMap((each) => (typeof each === "string" ? matching(each) : [])))
        found.push({
          from: "transcript",
          session: path.basename(file, ".jsonl"),
          text: redactText(text).text,
        });
    }
    if (found.length >= MOST_LINES) break;
  }
  return found.slice(0, MOST_LINES);
}

/** Lines that hold every word. Transcripts are large: they are opened only when no archive has any. */
export async function inConversations(query: string): Promise<Line[]> {
  const matching = linesWith(query);
  const archived = inArchives(matching);
  return archived.length > 0 ? archived : await inTranscripts(matching);
}
