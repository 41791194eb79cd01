// `throughline memory list`, `show`, `search` and `lint`, and what all memory commands share: the memory folder of the project, and how a result is reported.
import path from "node:path";
import { text } from "node:stream/consumers";
import { archiveFolder, listArchives, readArchive } from "../../../archive/index.ts";
import { languageOf, projectOf } from "../../../home/index.ts";
import { present, ThroughlineError, usageError } from "../../../lib/index.ts";
import {
  applyFixes,
  type ConfirmOutcome,
  checkMemory,
  confirmedBodies,
  type Folder,
  findMemory,
  indexText,
  isActive,
  type LintFinding,
  type LogOutcome,
  lintMemories,
  listQuarantine,
  memoryTypes,
  type Obstacle,
  openFolder,
  outsideChanges,
  type Quarantined,
  readRepository,
  type SaveOutcome,
  searchMemories,
  staleBanner,
  standingLine,
  trustSection,
  verdictsOn,
} from "../../../memdir/index.ts";
import { redactText } from "../../../redact/index.ts";
import { instructionsFor, memoryFolderFor } from "../../../tools/index.ts";
import { readConversation } from "../../../transcript/index.ts";
import { choice, defineCommand, flag, operand, type Report, value } from "../../command.ts";
import { commandContext, currentConfig, ownConfig } from "../../context.ts";
import { columns, exitCodes, localMinute } from "../../output.ts";
import { paint } from "../../terminal.ts";
import { transcriptFolder, transcriptsIn } from "../../transcripts.ts";

export const dirArgument = {
  dir: value("folder", "the folder of memories, instead of the one in the settings"),
} as const;

type MemoryContext = ReturnType<typeof memoryContext>;

/** The memory folder of this project, with the project's own instructions. */
export function memoryContext(dir: string | undefined) {
  const { home, cwd, env } = commandContext();
  const { values } = currentConfig();
  const { root } = projectOf(cwd);
  const owner = { home, env, folder: cwd };
  const { place, mode } = memoryFolderFor(owner, dir === undefined ? undefined : path.resolve(cwd, dir));
  const language = languageOf(values.locale, env);
  return { place, mode, language, root, instructions: instructionsFor(owner) };
}

/** The value, or standard input for `-`. */
export async function valueOrStdin(value: string) {
  return value === "-" ? await text(process.stdin) : value;
}

const obstacleCodes = {
  refused: "memory-refused",
  conflict: "memory-changed",
  "not-found": "not-found",
} as const;

function throwObstacle(outcome: Obstacle | QuarantinedOutcome): never {
  if ("fix" in outcome)
    throw new ThroughlineError(obstacleCodes[outcome.outcome], outcome.message, outcome.fix);
  const reasons = outcome.suspicions.map(({ kind, evidence }) => `${kind}: ${evidence}`);
  throw new ThroughlineError(
    "memory-refused",
    `quarantined for review as ${outcome.id} (${reasons.join("; ")})`,
    `read it with \`throughline memory list --quarantine\`; \`throughline memory add --confirm ${outcome.id}\` saves it`,
  );
}

type QuarantinedOutcome = Extract<SaveOutcome, { outcome: "quarantined" }>;

/** The outcome of a save. A refusal is an error with its fix. */
export function savedReport(outcome: ConfirmOutcome | LogOutcome | Obstacle): Report {
  if ("fix" in outcome || outcome.outcome === "quarantined") return throwObstacle(outcome);
  if (outcome.outcome === "logged") return { data: outcome, text: `logged in ${outcome.file}` };
  const { file, change } = outcome;
  if (outcome.outcome === "written")
    return { data: { outcome: "written", file, change: change.id }, text: `wrote ${file}` };
  const { size, hidden, dates, warnings } = outcome;
  return {
    data: { outcome: "saved", file, change: change.id, size, hidden, dates, warnings },
    text: [
      `saved ${file}`,
      ...dates.map(({ from, to }) => `${from} → ${to}`),
      hidden.length > 0 && `redacted: ${hidden.join(", ")}`,
      ...warnings.map((warning) => paint("yellow", warning)),
    ],
  };
}

/** In full: it has to be read before it is saved. */
function quarantinedText({ id, at, request, suspicions, destination }: Quarantined) {
  const { type, author, name, description, body, surprising = "" } = request;
  const where = !destination || destination.kind === "log" ? "" : ` for ${destination.file}`;
  const reasons = suspicions.map(({ kind, evidence }) => `${kind}: ${JSON.stringify(evidence)}`).join("; ");
  const words = [`${name} — ${description}`, body, surprising].filter((text) => text.trim() !== "");
  return [
    `${id}  ${type} by ${author}${where}, ${localMinute(at)}`,
    `  ${paint("yellow", reasons)}`,
    words.join("\n").replace(/^/gm, "  | "),
  ].join("\n");
}

const list = defineCommand({
  summary: "the memories of this project",

  args: {
    type: choice(memoryTypes, "only this type"),
    all: flag("also superseded and expired ones"),
    quarantine: flag("texts that wait for review"),
    ...dirArgument,
  },
  examples: {
    "throughline memory list": "every valid memory",
    "throughline memory list --quarantine": "quarantined texts, with the reasons",
  },
  async run({ args }) {
    const { place, language } = memoryContext(args.dir);
    if (args.quarantine) {
      const waiting = listQuarantine(place);
      const text = waiting.map(quarantinedText).join("\n\n") || "nothing waits for review";
      return { data: { quarantine: waiting }, text };
    }
    const { memories, unreadable, size } = await openFolder(place);
    const now = Date.now();
    const shown = memories.filter(
      (memory) =>
        (args.all || isActive(memory, now)) && (args.type === undefined || memory.type === args.type),
    );
    const rows = shown.map((memory) => [
      memory.type ?? "?",
      memory.file,
      memory.description,
      paint("dim", standingLine(memory, now, language)),
    ]);
    const listed = shown.map(({ text: _, ...memory }) => memory);
    return {
      data: { folder: place.folder, isClaudes: place.isClaudes, memories: listed, unreadable, index: size },
      text: rows.length === 0 ? `no memories in ${place.folder}` : columns(rows),
    };
  },
});

const show = defineCommand({
  summary: "one memory, and whether it still holds",

  args: {
    name: operand("its file, or its name or the start of it"),
    ...dirArgument,
  },
  examples: { "throughline memory show release-freeze": "the memory, its age, and what is stale" },
  async run({ args }) {
    const own = memoryContext(args.dir);
    const memory = findMemory(await openFolder(own.place), args.name);
    const verdict = checkMemory(memory, readRepository(own.root));
    const banner = staleBanner(verdict, own.language);
    const parts = [
      `# ${memory.name || memory.file}`,
      `${memory.type ?? "?"} · ${memory.description}\n${standingLine(memory, Date.now(), own.language)}`,
      banner?.trimEnd(),
      memory.body,
      trustSection(own.language).trimEnd(),
    ];
    return { data: { ...memory, verdict }, text: `${present(parts).join("\n\n")}\n` };
  },
});

const search = defineCommand({
  summary: "search memories, then past conversations",

  args: { ...dirArgument },
  rest: "query",
  examples: { "throughline memory search deploy window": "memories that hold the words, best first" },
  async run({ args, rest }) {
    const query = rest.join(" ").trim();
    if (query === "") throw usageError("search needs words", "throughline memory search WORDS");
    const { memories } = await openFolder(memoryContext(args.dir).place);
    const outcome = await searchMemories(memories, query, inConversations);
    if (outcome.from === "elsewhere") {
      const lines = outcome.matches.map(({ session, text }) => `${session.slice(0, 8)}: ${text}`);
      const found = ["no memory; found in past conversations:", ...lines];
      return { data: outcome, text: lines.length === 0 ? "nothing was found" : found };
    }
    const now = Date.now();
    const found = outcome.matches.map(({ memory, score, lines }) => ({
      file: memory.file,
      score,
      lines,
      isActive: isActive(memory, now),
    }));
    // Memories that are no longer valid come last.
    const matches = [...found.filter((each) => each.isActive), ...found.filter((each) => !each.isActive)];
    const text = matches.flatMap(({ file, lines, isActive: holds }) =>
      lines.map(({ line, text: words }) => `${file}:${line}:${holds ? "" : " (no longer valid)"} ${words}`),
    );
    return { data: { from: "memories", matches }, text };
  },
});

const colours = { error: "red", warning: "yellow", note: "dim" } as const;

function findingsIn(own: MemoryContext, folder: Folder) {
  return lintMemories({
    folder,
    indexText: indexText(own.place),
    outside: outsideChanges(own.place, folder),
    now: Date.now(),
    verdicts: verdictsOn(folder.memories, readRepository(own.root)),
    instructions: own.instructions,
    confirmed: confirmedBodies(own.place),
  });
}

const lintCommand = defineCommand({
  summary: "what is wrong with the memories, and what is stale",

  args: {
    fix: flag("fix what needs no decision; every step can be undone"),
    ...dirArgument,
  },
  examples: {
    "throughline memory lint": "every finding with its fix",
    "throughline memory lint --fix": "fix index lines and dates; quarantine instructions",
  },
  async run({ args }) {
    const own = memoryContext(args.dir);
    const folder = await openFolder(own.place);
    const before = findingsIn(own, folder);
    const mended = args.fix ? await applyFixes(own.place, folder, before) : [];
    const findings = mended.length === 0 ? before : findingsIn(own, await openFolder(own.place));
    const rows = findings.map(({ severity, file, kind, problem, fix }) => [
      paint(colours[severity], severity),
      file,
      `${kind}: ${problem}${paint("dim", ` (${fix})`)}`,
    ]);
    const count = (severity: LintFinding["severity"]) =>
      findings.filter((finding) => finding.severity === severity).length;
    const summary = `${folder.memories.length} memories: ${count("error")} errors, ${count("warning")} warnings${mended.length === 0 ? "" : `; ${mended.length} fixed`}`;
    return {
      data: { memories: folder.memories.length, findings, mended },
      text: [rows.length > 0 && columns(rows), summary],
      exitCode: count("error") > 0 ? exitCodes.degraded : exitCodes.ok,
    };
  },
});

interface PastLine {
  readonly from: "archive" | "transcript";
  readonly session: string;
  readonly text: string;
}

const MOST_LINES = 20;
const MOST_TRANSCRIPTS = 20;
const LONGEST_FOUND_LINE = 300;

function linesWith(query: string): (text: string) => string[] {
  const words = query.toLowerCase().split(/\s+/);
  return (text) =>
    text
      .split("\n")
      .filter((line) => words.every((word) => line.toLowerCase().includes(word)))
      .map((line) => line.trim().slice(0, LONGEST_FOUND_LINE));
}

function inArchives(matching: (text: string) => string[]) {
  const { home, cwd } = commandContext();
  const group = currentConfig().values.archive.group || projectOf(cwd).id;
  const found: PastLine[] = [];
  for (const archived of listArchives(archiveFolder(ownConfig().values.archive, home), { group })) {
    for (const text of matching(readArchive(archived)))
      found.push({ from: "archive", session: archived.session, text });
    if (found.length >= MOST_LINES) break;
  }
  return found.slice(0, MOST_LINES);
}

async function inTranscripts(matching: (text: string) => string[]) {
  const found: PastLine[] = [];
  const { cwd } = commandContext();
  const folders = new Set([projectOf(cwd).root, cwd]);
  const files = transcriptsIn([...folders].map(transcriptFolder));
  for (const file of files.slice(0, MOST_TRANSCRIPTS)) {
    const { items } = await readConversation(file);
    for (const { message } of items) {
      const texts =
        typeof message.content === "string" ? [message.content] : message.content.map(({ text }) => text);
      // Archives are redacted; transcripts are not.
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

/** Lines of past conversations that contain every word. Reads transcripts, which are large, only when no archive has a match. */
async function inConversations(query: string) {
  const matching = linesWith(query);
  const archived = inArchives(matching);
  return archived.length > 0 ? archived : await inTranscripts(matching);
}

export { lintCommand, list, search, show };
