// From a command line to an exit code: finds the command, runs it, and prints its report or error.
import { existsSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { type Home, languageOf, projectRoots, resolveHome, restoreJournal } from "../home/index.ts";
import { ownVersion, present, ThroughlineError, usageError } from "../lib/index.ts";
import { didYouMean, flag, type Group, parseArguments, type Report, sharedArgs } from "./command.ts";
import { renamedCommands, root, shortRoot } from "./commands.ts";
import { commandHelp, groupHelp, wrappedPage } from "./help.ts";
import { exitCodes, writeError, writeReport } from "./output.ts";
import { isInteractive, screenOf, write } from "./terminal.ts";

const summary = "Context and memory for coding agents.";

/** Whether a flag was given; after `--` everything is a value. */
function isGiven(argv: readonly string[], ...spellings: string[]) {
  const end = argv.indexOf("--");
  return argv.slice(0, end === -1 ? argv.length : end).some((word) => spellings.includes(word));
}

/** Flags of `run` that take a value: the word behind one is not the command. */
const valueFlagsOfRun = ["--via"];

/** What follows the command that `run` is to start belongs to that command: it is set apart by `--`. */
function withCommandApart(argv: readonly string[]) {
  const at = argv.findIndex((word) => !word.startsWith("-"));
  if (argv[at] !== "run") return argv;
  for (let next = at + 1; next < argv.length; next++) {
    const word = argv[next] ?? "";
    if (word === "--") return argv;
    if (!word.startsWith("-")) return [...argv.slice(0, next), "--", ...argv.slice(next)];
    if (valueFlagsOfRun.includes(word)) next++;
  }
  return argv;
}

const WIDEST_PAGE = 100;

const helpReport = (text: string) => ({ data: { help: text }, text });

function rootHelp(argv: readonly string[]) {
  const { columns } = screenOf("stdout");
  if (isGiven(argv, "--all")) return groupHelp("throughline", summary, root, columns);
  return groupHelp("throughline", summary, shortRoot, columns, ["`throughline help --all` lists the rest."]);
}

function withoutCommand(name: string, about: string, group: Group, argv: readonly string[]) {
  const isHelp = isGiven(argv, "--help", "-h");
  if (group !== root) {
    if (isHelp) return helpReport(groupHelp(name, about, group, screenOf("stdout").columns));
    parseArguments(argv, sharedArgs, { name });
    throw usageError(`${name} needs a command`, `one of: ${Object.keys(group.commands).join(", ")}`);
  }
  if (isGiven(argv, "--version", "-v")) return { data: { version: ownVersion }, text: ownVersion };
  if (!isHelp)
    parseArguments(argv, { ...sharedArgs, all: flag(""), version: flag("", { short: "v" }) }, { name });
  return helpReport(rootHelp(argv));
}

function unknownCommand(name: string, word: string, group: Group) {
  const fix = `\`${name} --help\` lists the commands`;
  const hint = didYouMean(word, Object.keys(group.commands));
  return usageError(`unknown command ${word}${hint}`, fix);
}

/** `help TOPIC`: the help of a command, then the page of that name. */
async function helpOn(argv: readonly string[]): Promise<Report> {
  const [topic, ...deeper] = argv.filter((word) => !word.startsWith("-"));
  const { docsPage } = await import("./package.ts");
  const page = topic === undefined || deeper.length > 0 ? undefined : docsPage(topic);
  const isCommand =
    topic === undefined || Object.hasOwn(root.commands, topic) || Object.hasOwn(renamedCommands, topic);
  if (!isCommand && page === undefined)
    throw usageError(
      `there is no help on ${topic}${didYouMean(topic, Object.keys(root.commands))}`,
      "`throughline --help` lists the commands; other topics are the names of the pages, such as `throughline help lanes`",
    );
  const { columns = WIDEST_PAGE } = screenOf("stdout");
  const texts = [
    isCommand ? String((await dispatch("throughline", summary, root, [...argv, "--help"])).text) : undefined,
    page === undefined ? undefined : wrappedPage(page, columns),
  ];
  return helpReport(present(texts).join("\n"));
}

async function dispatch(name: string, about: string, group: Group, argv: readonly string[]): Promise<Report> {
  const at = argv.findIndex((word) => !word.startsWith("-"));
  const word = argv[at];
  if (word === undefined) return withoutCommand(name, about, group, argv);
  const others = [...argv.slice(0, at), ...argv.slice(at + 1)];
  if (word === "help")
    return group === root ? helpOn(others) : dispatch(name, about, group, [...others, "--help"]);
  const path = `${name} ${word}`;
  const renamed = group === root ? renamedCommands[word] : undefined;
  if (renamed) {
    write(
      `\`${path}\` is now \`${[name, ...renamed].join(" ")}\`; the old name works through 0.2\n`,
      "stderr",
    );
    return dispatch(name, about, group, [...renamed, ...others]);
  }
  const entry = Object.hasOwn(group.commands, word) ? group.commands[word] : undefined;
  if (!entry) throw unknownCommand(name, word, group);
  const command = await entry.load();
  if (command.kind === "group") return dispatch(path, entry.summary, command, others);
  if (isGiven(others, "--help", "-h"))
    return helpReport(commandHelp(path, entry.summary, command, screenOf("stdout").columns));
  return command.run(others, path);
}

/** Completes an interrupted restore: until then the data folder may be missing although there is data. */
async function finishInterruptedRestore(home: Home) {
  if (existsSync(restoreJournal(home))) await (await import("../backup/index.ts")).finishRestore(home);
}

/** Tells a person, once per content, that the project's settings file has values that are ignored; `config` shows them itself. */
async function writeProjectNotice(argv: readonly string[]) {
  if (!isInteractive() || argv.includes("config") || argv.includes("run")) return;
  const [home, cwd, env] = [resolveHome(), process.cwd(), process.env];
  if (projectRoots(cwd).length === 0) return;
  const { isNews, loadConfig, projectNotice } = await import("../config/index.ts");
  try {
    const { project, values } = loadConfig({ home, cwd, env });
    const notice = project && projectNotice(project, languageOf(values.locale, env));
    if (project && notice && isNews(home, "command", project)) write(`${notice}\n`, "stderr");
  } catch (error) {
    // The command itself has reported a broken file of the user.
    if (!(error instanceof ThroughlineError)) throw error;
  }
}

/** Serves the tools to a client whose handshake was answered already, and returns the exit code; never throws. */
export async function serve(input: Readable, output: Writable): Promise<number> {
  try {
    await finishInterruptedRestore(resolveHome());
    await (await import("./commands/open.ts")).serveTools({ input, output });
    return exitCodes.ok;
  } catch (error) {
    return writeError(error, false);
  }
}

/** Runs one command line and returns its exit code; never throws. */
export async function main(given: readonly string[]) {
  const argv = withCommandApart(given);
  const json = isGiven(argv, "--json");
  try {
    await finishInterruptedRestore(resolveHome());
    const report = await dispatch("throughline", summary, root, argv);
    writeReport(report, json);
    if (!json) await writeProjectNotice(argv);
    return report.exitCode ?? exitCodes.ok;
  } catch (error) {
    return writeError(error, json);
  }
}
