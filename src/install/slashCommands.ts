// The slash commands of Claude Code that an installation adds: files below the user's own `commands` folder. A hook answers those
// that need no model (src/hooks/slash.ts); the text of a file is what the model reads where that hook does not run.
import { mkdirSync, readdirSync, rmdirSync } from "node:fs";
import path from "node:path";
import { readIfThere, removeFile, systemErrorCode, writeFileAtomic } from "../lib/index.ts";

interface SlashCommand {
  /** Below `commands`; a folder is a prefix of the command's name. */
  readonly file: string;
  readonly about: string;
  readonly hint?: string;
  readonly prompt: string;
}

const tool = (name: string, rest: string) => `Call the tool ${name} of the MCP server throughline ${rest}`;
const shell = (line: string) => `Run \`throughline ${line}\` and show what it prints, without comment.`;

export const slashCommands: readonly SlashCommand[] = [
  {
    file: "recall.md",
    about: "what left the window, by its handle, or what earlier sessions know about these words",
    hint: "tl:… or words",
    prompt: `${tool("recall", "with this handle, or the tool search with these words")}: $ARGUMENTS`,
  },
  {
    file: "remember.md",
    about: "keep a sentence for later sessions, as it is",
    hint: "text",
    prompt: `${tool("save_memory", "with exactly this text")}: $ARGUMENTS`,
  },
  { file: "throughline/status.md", about: "what is installed, runs and waits", prompt: shell("status") },
  {
    file: "throughline/search.md",
    about: "find what was learned, said and done in earlier sessions",
    hint: "words",
    prompt: `${tool("search", "with this query")}: $ARGUMENTS`,
  },
  {
    file: "throughline/timeline.md",
    about: "what happened lately, or around something",
    hint: "[time, id or words]",
    prompt: `${tool("timeline", "around this")}: $ARGUMENTS`,
  },
  {
    file: "throughline/why.md",
    about: "why the window looks as it does",
    prompt: shell("window FILE, with the transcript of this session"),
  },
  {
    file: "throughline/compact.md",
    about: "what a compaction would keep, before it comes",
    prompt: shell("compact --preview"),
  },
  {
    file: "throughline/pin.md",
    about: "keep a turn of this conversation through compactions: the last one, or that with these words",
    hint: "[words]",
    prompt: `${shell("pin FILE WORDS, with the transcript of this session and these words")} $ARGUMENTS`,
  },
  {
    file: "throughline/snip.md",
    about: "mark turns of this conversation as no longer needed",
    hint: "which turns",
    prompt: `${tool("snip", "without ids, then with the ids of the turns that this describes")}: $ARGUMENTS`,
  },
];

/** By this a file is ours; a file of the same name without it is the user's. */
const MARK = "<!-- Added by `throughline install`; `throughline uninstall` removes it. -->";

const head = ({ about, hint, prompt }: SlashCommand) => [
  "---",
  `description: ${about}`,
  ...(hint === undefined ? [] : [`argument-hint: ${JSON.stringify(hint)}`]),
  "---",
  prompt,
  "",
];

const textOf = (command: SlashCommand) => [...head(command), MARK, ""].join("\n");

/** The same for the plugin, whose name Claude Code puts before each: text by file. */
export const pluginCommands: ReadonlyMap<string, string> = new Map(
  slashCommands.map((command) => [path.basename(command.file), head(command).join("\n")]),
);

const placeOf = (configFolder: string, { file }: SlashCommand) => path.join(configFolder, "commands", file);

/** The commands whose file is missing or of another version. Files of the user's own are left alone. */
export function commandsToPlace(configFolder: string): readonly SlashCommand[] {
  return slashCommands.filter((command) => {
    const there = readIfThere(placeOf(configFolder, command));
    return there === undefined || (there.includes(MARK) && there !== textOf(command));
  });
}

export function placeCommands(configFolder: string): readonly string[] {
  return commandsToPlace(configFolder).map((command) => {
    const file = placeOf(configFolder, command);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileAtomic(file, textOf(command));
    return file;
  });
}

/** The files that are ours. */
export function placedCommands(configFolder: string): readonly string[] {
  return slashCommands
    .map((command) => placeOf(configFolder, command))
    .filter((file) => readIfThere(file)?.includes(MARK));
}

function removeIfEmpty(folder: string) {
  try {
    if (readdirSync(folder).length === 0) rmdirSync(folder);
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT") throw error;
  }
}

export function removeCommands(configFolder: string): readonly string[] {
  const files = placedCommands(configFolder);
  for (const file of files) removeFile(file);
  const folder = path.join(configFolder, "commands");
  if (files.length > 0) for (const one of [path.join(folder, "throughline"), folder]) removeIfEmpty(one);
  return files;
}
