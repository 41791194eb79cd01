// `throughline memory`: the typed memories of a project.
import { defined, notFoundError, usageError } from "../../../lib/index.ts";
import {
  appendLog,
  approveQuarantined,
  authors,
  candidateRules,
  consolidate,
  dropQuarantined,
  editMemory,
  findMemory,
  findQuarantined,
  historyOf,
  inWords,
  keepWordings,
  type LogEntry,
  type MemoryCandidate,
  type MemoryPlace,
  markConsolidated,
  memoryTypes,
  openFolder,
  readFolder,
  readLogs,
  readWordings,
  removeMemory,
  saveMemory,
  undoChange,
  type Wordings,
  wordCandidates,
} from "../../../memdir/index.ts";
import { choice, defineCommand, defineGroup, flag, operand, optional, value } from "../../command.ts";
import { configuredModel } from "../../model.ts";
import { columns, localMinute } from "../../output.ts";
import { paint } from "../../terminal.ts";
import {
  dirArgument,
  lintCommand,
  list,
  memoryContext,
  savedReport,
  search,
  show,
  valueOrStdin,
} from "./read.ts";
import { remember } from "./remember.ts";

const required = <T extends string>(flag: string, value: T | undefined) => {
  if (value !== undefined) return value;
  throw usageError(`--${flag} is missing`);
};

const add = defineCommand({
  summary: "save a memory and its line in the index",

  args: {
    type: choice(memoryTypes, "its type"),
    name: value("name", "its topic, in a few words"),
    description: value("line", "one specific line, by which a session decides whether to read it"),
    body: value("TEXT|-", "the fact; - reads standard input"),
    author: choice(authors, "whose words these are", "user"),
    session: value("id", "the session it comes from"),
    turn: value("turn", "the turn it comes from"),
    expires: value("date", "the date until which it holds"),
    supersedes: value("file", "the memory it replaces"),
    surprising: value("text", "what could not have been looked up: the part to keep"),
    confirm: value("id", "save a quarantined text; --name and --surprising may be given with it"),
    ...dirArgument,
  },
  examples: {
    'throughline memory add --type project --name Freeze --description "of the release" --body Friday':
      "relative dates become absolute",
    "throughline memory add --type feedback --name N --description D --body -":
      "the body from standard input",
    "throughline memory add --confirm qua_0m8x": "save a quarantined text, after you have read it",
  },
  async run({ args }) {
    const { place, instructions, mode, root } = memoryContext(args.dir);
    if (args.confirm !== undefined)
      return savedReport(
        await approveQuarantined(place, args.confirm, {
          instructions,
          name: args.name,
          surprising: args.surprising,
        }),
      );
    const type = required("type", args.type);
    const body = await valueOrStdin(required("body", args.body));
    const { author } = args;
    const [name, description] = [required("name", args.name), required("description", args.description)];
    if (mode === "log")
      return savedReport(appendLog(place, { text: `${name} (${description}): ${body}`, author, type }));
    const { session, turn, expires, supersedes, surprising } = args;
    const replaced = supersedes && [supersedes.endsWith(".md") ? supersedes : `${supersedes}.md`];
    const request = {
      name,
      description,
      type,
      body,
      author,
      ...defined({ session, turn, expires, supersedes: replaced || undefined, surprising }),
    };
    return savedReport(await saveMemory(place, request, { instructions, root }));
  },
});

const edit = defineCommand({
  summary: "change a memory, unless it was changed meanwhile",

  args: {
    file: operand("its file, or its name or the start of it"),
    type: choice(memoryTypes, "the new type"),
    name: value("name", "the new name; the file name stays"),
    description: value("description", "the new line for the index"),
    body: value("TEXT|-", "the new text; - reads standard input"),
    expires: value("date", "the date until which it holds"),
    verified: flag("record that you have just verified it"),
    "if-hash": value("sha256", "only if its content still has this hash"),
    ...dirArgument,
  },
  examples: {
    "throughline memory edit release-freeze --verified": "record that it still holds",
    'throughline memory edit release-freeze --body "Merges stop on 2026-03-12."': "another text",
  },
  async run({ args }) {
    const { place, instructions } = memoryContext(args.dir);
    const memory = findMemory(await openFolder(place), args.file);
    const { name, description, expires, verified: isVerified } = args;
    const outcome = await editMemory(
      place,
      {
        file: memory.file,
        hash: args["if-hash"] ?? memory.hash,
        name,
        description,
        expires,
        isVerified,
        type: args.type,
        body: args.body === undefined ? undefined : await valueOrStdin(args.body),
      },
      { instructions },
    );
    return savedReport(outcome);
  },
});

const rm = defineCommand({
  summary: "remove a memory; undo restores it",

  args: {
    name: operand("its file, or its name or the start of it; or the id of a quarantined text"),
    ...dirArgument,
  },
  examples: {
    "throughline memory rm release-freeze": "`throughline memory undo` restores it",
    "throughline memory rm qua_0m8x7k2p": "delete a quarantined text permanently",
  },
  async run({ args }) {
    const { place } = memoryContext(args.dir);
    if (/^qua_\w+$/.test(args.name)) {
      const entry = findQuarantined(place, args.name);
      dropQuarantined(place, entry);
      return { data: { rejected: entry.id }, text: `deleted ${entry.id}` };
    }
    const memory = findMemory(await openFolder(place), args.name);
    const change = await removeMemory(place, memory);
    return { data: { removed: memory.file, change: change?.id }, text: `removed ${memory.file}` };
  },
});

const log = defineCommand({
  summary: "append to the daily log, or show it",

  args: {
    author: choice(authors, "whose words these are", "user"),
    type: choice(memoryTypes, "the type of memory it could become"),
    ...dirArgument,
  },
  rest: "text",
  examples: {
    "throughline memory log the vendor throttles DDL after six": "append it to today's file",
    "throughline memory log": "every entry so far",
  },
  run({ args, rest }) {
    const { place } = memoryContext(args.dir);
    if (rest.length === 0) {
      const entries = readLogs(place);
      const lines = entries.map(({ day, time, author, text }) => `${day} ${time} (${author}) ${text}`);
      return { data: { entries }, text: lines.length === 0 ? "the log is empty" : lines };
    }
    const { author, type } = args;
    return savedReport(appendLog(place, { text: rest.join(" "), author, ...defined({ type }) }));
  },
});

/** Cached wordings, and the configured model's for the rest. A failure of the model is a note, not an error. */
async function wordingsFor(
  place: MemoryPlace,
  candidates: readonly MemoryCandidate[],
  entries: readonly LogEntry[],
): Promise<{ wordings: Wordings; problem?: string }> {
  const known = readWordings(place);
  const open = candidates.filter(({ id }) => !known.has(id));
  const configured = open.length === 0 ? undefined : configuredModel();
  if (!configured) return { wordings: known };
  const { model, redact } = configured;
  const { wordings: made, problem } = await wordCandidates({ candidates: open, entries, model, redact });
  const wordings = new Map([...known, ...made]);
  if (made.size > 0) keepWordings(place, wordings, candidates);
  return { wordings, ...defined({ problem }) };
}

function linesFor(
  { id, rule, type, name, description, body, sources, needs }: MemoryCandidate,
  plain?: MemoryCandidate,
) {
  return [
    `${id}  ${type}  ${name} — ${description}`,
    `  ${body.replace(/\n/g, "\n  ")}`,
    `  ${rule}: ${candidateRules[rule]}; from ${sources.join(", ")}`,
    needs.length > 0 && `  needs ${needs.join(" and ")}`,
    plain && paint("dim", `  worded by a model; as logged: ${plain.id}`),
  ];
}

const consolidateCommand = defineCommand({
  summary: "memories that the daily logs suggest; nothing is saved unseen",

  args: {
    accept: value("id", "save this candidate"),
    description: value("description", "with --accept: the line for the index"),
    body: value("TEXT|-", "with --accept: the text, completed"),
    plain: flag("do not ask a model for better wording"),
    ...dirArgument,
  },
  examples: {
    "throughline memory consolidate": "candidates, each with its rule",
    "throughline memory consolidate --accept 3f9a0c12": "save one of them",
  },
  async run({ args }) {
    const { place, instructions } = memoryContext(args.dir);
    const { memories } = await openFolder(place);
    const entries = readLogs(place);
    const { candidates, dropped } = consolidate(entries, memories, instructions);
    const { accept } = args;
    const { wordings, problem } =
      accept !== undefined || args.plain
        ? { wordings: args.plain ? new Map() : readWordings(place), problem: undefined }
        : await wordingsFor(place, candidates, entries);
    const shown = candidates.map((plain) => {
      const wording = wordings.get(plain.id);
      return wording === undefined ? plain : { ...inWords(plain, wording), plain };
    });
    if (accept === undefined) {
      markConsolidated(place);
      const summary = `${candidates.length} candidates, ${dropped.length} entries not used; nothing was saved`;
      const lines = shown.flatMap((each) => linesFor(each, "plain" in each ? each.plain : undefined));
      const note = problem && paint("yellow", `the model gave no wording: ${problem}`);
      return { data: { candidates: shown, dropped, problem }, text: [...lines, note, summary] };
    }
    const chosen = [...shown, ...candidates].find(({ id }) => id === accept);
    if (!chosen)
      throw notFoundError(
        `there is no candidate ${accept}, or its text has changed`,
        "throughline memory consolidate",
      );
    const { name, type, author } = chosen;
    const body = args.body === undefined ? chosen.body : await valueOrStdin(args.body);
    const description = args.description ?? chosen.description;
    return savedReport(await saveMemory(place, { name, description, type, body, author }, { instructions }));
  },
});

const history = defineCommand({
  summary: "every change, newest first",

  args: {
    name: optional("one memory (default: all)"),
    ...dirArgument,
  },
  examples: { "throughline memory history release-freeze": "the changes of one memory" },
  run({ args }) {
    const { place } = memoryContext(args.dir);
    const changes = historyOf(place, args.name === undefined ? undefined : fileOf(args.name));
    const rows = changes.map(({ id, at, action, steps }) => [
      localMinute(at),
      action.split(" ")[0] ?? "",
      steps.map(({ file }) => file).join(", "),
      id,
    ]);
    return { data: { changes }, text: rows.length === 0 ? "no changes yet" : columns(rows) };

    /** Finds removed memories too. */
    function fileOf(name: string) {
      const known = historyOf(place).flatMap(({ steps }) => steps.map(({ file }) => file));
      const file = name.endsWith(".md") ? name : `${name}.md`;
      return known.includes(file) ? file : findMemory(readFolder(place), name).file;
    }
  },
});

const undo = defineCommand({
  summary: "revert a change",

  args: {
    id: optional("a change (default: the last one)"),
    ...dirArgument,
  },
  examples: { "throughline memory undo": "revert the last change" },
  async run({ args }) {
    const { place } = memoryContext(args.dir);
    const { undone, change } = await undoChange(place, defined({ id: args.id }));
    const files = undone.steps.map(({ file }) => file).join(", ");
    return {
      data: { undone: undone.id, change: change.id, files },
      text: `undid ${undone.action} of ${files}`,
    };
  },
});

export default {
  remember,
  memory: defineGroup(
    {
      add,
      list,
      show,
      edit,
      rm,
      search,
      lint: lintCommand,
      log,
      consolidate: consolidateCommand,
      history,
      undo,
    },
    {
      'throughline memory add --type reference --name Bugs --description "where they are" --body Linear':
        "save where something is found",
      "throughline memory lint": "stale and contradicting memories",
      "throughline memory search deploy window": "memories first",
    },
  ),
};
