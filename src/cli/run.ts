// From a command line to an exit code: finds the command, runs it, prints what it returned or what went wrong.
import { existsSync } from "node:fs";
import { type Home, resolveHome, restoreJournal } from "../home/index.ts";
import { ownVersion, ThroughlineError } from "../lib/index.ts";
import { checkArguments, didYouMean, sharedArgs } from "./arguments.ts";
import type { Group, Report } from "./command.ts";
import { root } from "./commands.ts";
import { commandHelp, groupHelp } from "./help.ts";
import { exitCodes, writeError, writeReport } from "./output.ts";
import { tellOfProject } from "./projectNotice.ts";
import { screenOf } from "./terminal.ts";

const summary = "Context and memory for coding agents.";

/** Whether a flag was given; after `--` everything is a value. */
function given(argv: readonly string[], ...spellings: string[]): boolean {
  const end = argv.indexOf("--");
  return argv.slice(0, end === -1 ? argv.length : end).some((word) => spellings.includes(word));
}

const helpReport = (text: string): Report => ({ data: { help: text }, text });

function withoutCommand(name: string, about: string, group: Group, argv: readonly string[]): Report {
  const isRoot = group === root;
  if (isRoot && given(argv, "--version", "-v")) return { data: { version: ownVersion }, text: ownVersion };
  if (given(argv, "--help", "-h"))
    return helpReport(groupHelp(name, about, group, screenOf("stdout").columns));
  checkArguments(argv, isRoot ? { ...sharedArgs, version: { type: "boolean", alias: "v" } } : sharedArgs, {
    name,
  });
  if (isRoot) return helpReport(groupHelp(name, about, group, screenOf("stdout").columns));
  throw new ThroughlineError("usage", `${name} needs a command`, {
    fix: `one of: ${group.commands.map((entry) => entry.name).join(", ")}`,
  });
}

async function dispatch(name: string, about: string, group: Group, argv: readonly string[]): Promise<Report> {
  const at = argv.findIndex((word) => !word.startsWith("-"));
  const word = argv[at];
  if (word === undefined) return withoutCommand(name, about, group, argv);
  const others = [...argv.slice(0, at), ...argv.slice(at + 1)];
  if (word === "help") return dispatch(name, about, group, [...others, "--help"]);
  const entry = group.commands.find((candidate) => candidate.name === word);
  if (entry === undefined) {
    const hint = didYouMean(
      word,
      group.commands.map((candidate) => candidate.name),
    );
    throw new ThroughlineError("usage", `unknown command ${word}${hint}`, {
      fix: `\`${name} --help\` lists the commands`,
    });
  }
  const command = (await entry.load()).default;
  const path = `${name} ${word}`;
  if (command.kind === "group") return dispatch(path, entry.summary, command, others);
  if (given(others, "--help", "-h"))
    return helpReport(commandHelp(path, entry.summary, command, screenOf("stdout").columns));
  return command.run(others, path);
}

/** Between the two halves of a restore there may be no data folder at all: no command may take that for an empty one. */
async function finishInterruptedRestore(home: Home): Promise<void> {
  if (existsSync(restoreJournal(home))) await (await import("../backup/index.ts")).finishRestore(home);
}

/** Runs one command line and gives its exit code; never throws. */
export async function main(argv: readonly string[]): Promise<number> {
  const json = given(argv, "--json");
  try {
    await finishInterruptedRestore(resolveHome());
    const report = await dispatch("throughline", summary, root, argv);
    writeReport(report, json);
    if (!json) await tellOfProject(argv);
    return report.exitCode ?? exitCodes.ok;
  } catch (error) {
    return writeError(error, json);
  }
}
