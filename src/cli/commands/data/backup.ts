// `throughline data backup`, `restore` and `check`.

import path from "node:path";
import {
  type CheckedPart,
  checkEverything,
  makeSet,
  type RestoredSet,
  restoreSet,
  undoRestore,
} from "../../../backup/index.ts";
import { databaseFile } from "../../../home/index.ts";
import { withoutWorker } from "../../../ipc/index.ts";
import { isoTime, notFoundError, statIfThere, systemClock, usageError } from "../../../lib/index.ts";
import type { MemoryPlace } from "../../../memdir/index.ts";
import { restoreStore } from "../../../store/index.ts";
import { memoryFolderFor } from "../../../tools/index.ts";
import { defineCommand, flag, optional, type Report } from "../../command.ts";
import { commandContext, withDatabase } from "../../context.ts";
import { columns, counted, countedRows, exitCodes, localMinute, megabytes } from "../../output.ts";
import { fileProgress, progressLine } from "../../progress.ts";

/** Undefined where the settings of a project cannot be read: its memories are not found then. */
function memoryPlaceOf(work: string) {
  const { home, env } = commandContext();
  try {
    return memoryFolderFor({ home, env, folder: work }).place;
  } catch {
    return undefined;
  }
}

const memoryFolderOf = (work: string) => memoryPlaceOf(work)?.folder;

/** The memory folders of these folders of work, each once. */
function memoryPlacesOf(works: readonly string[]): readonly MemoryPlace[] {
  const places = works.flatMap((work) => memoryPlaceOf(work) ?? []);
  return [...new Map(places.map((place) => [place.folder, place])).values()];
}

const backup = defineCommand({
  summary: "copy everything while it is in use",

  args: {
    folder: optional(
      "a folder that does not exist yet (default: one in `backups` in the data folder); a name that ends in .db gets the database only, as one file",
    ),
  },
  examples: {
    "throughline data backup": "a backup in the data folder, named after the time",
    "throughline data backup /media/stick/throughline": "a backup in a folder of your choice",
    "throughline data backup /media/stick/throughline.db": "the database only",
  },
  async run({ args }) {
    const { home, cwd } = commandContext();
    const now = systemClock.now();
    const stamp = isoTime(now).replace(/\.\d+/, "").replaceAll(":", "-");
    const target =
      args.folder === undefined
        ? path.join(home.data, "backups", `throughline-backup-${stamp}`)
        : path.resolve(cwd, args.folder);
    if (target.endsWith(".db")) {
      const { bytes } = await withDatabase((store) => store.backup(target));
      const note = "It contains the database only; `throughline data backup FOLDER` copies everything.";
      return { data: { file: target, bytes }, text: [`${target} (${megabytes(bytes)})`, note] };
    }
    const line = fileProgress("copied");
    const request = { home, target, now, memoryOf: memoryFolderOf, onProgress: line.show };
    const made = await makeSet(request).finally(line.clear);
    return {
      data: made,
      text: [
        `${made.folder} (${counted(made.files, "file")}, ${megabytes(made.bytes)})`,
        "It contains the database, stored bytes, ledgers, notes, memories, archives and settings; `throughline data restore` restores it.",
      ],
    };
  },
});

const UNDO = "`throughline data restore --undo` puts it back; delete it when you no longer need it.";

const asideLines = (replaced: RestoredSet["replaced"]) =>
  replaced.map(({ target, aside }) => `The former content of ${target} is now in ${aside}.`);

async function restoreDatabase(from: string): Promise<Report> {
  const file = databaseFile(commandContext().home);
  const { events, previous } = await restoreStore({ file, from, now: systemClock.now() });
  return {
    data: { file, from, events, previous: previous ?? null },
    text: [
      `${file} was restored with ${events} events.`,
      previous && `The former file is now ${previous}; delete it when you no longer need it.`,
    ],
  };
}

async function restoreFolder(from: string, withConfig: boolean): Promise<Report> {
  const { home } = commandContext();
  const line = fileProgress("checked");
  const request = { home, from, now: systemClock.now(), memoryOf: memoryFolderOf, withConfig };
  const restored = await restoreSet({ ...request, onProgress: line.show }).finally(line.clear);
  const { at, events, replaced, left } = restored;
  return {
    data: { from, ...restored },
    text: [
      `${home.data} was restored to ${localMinute(at)}, with ${events} events.`,
      ...asideLines(replaced),
      replaced.length > 0 && UNDO,
      ...left.map((work) => `The memories of ${work} were not restored: that folder has other ones now.`),
    ],
  };
}

async function undoLast() {
  const replaced = await undoRestore(commandContext().home, systemClock.now());
  return { data: { undone: true, replaced }, text: ["The restore was undone.", ...asideLines(replaced)] };
}

const restore = defineCommand({
  summary: "replace the data by a backup",

  args: {
    backup: optional("a backup: a folder, or a database file"),
    config: flag("also restore the settings"),
    undo: flag("undo the last restore of a folder"),
  },
  examples: {
    "throughline data restore /media/stick/throughline": "restore everything",
    "throughline data restore --undo": "put back what was there before",
    "throughline data restore /media/stick/throughline.db": "restore the database only",
  },
  async run({ args }) {
    const { home, cwd } = commandContext();
    if (args.undo) return withoutWorker(home, undoLast);
    if (args.backup === undefined) {
      throw usageError(
        "restore needs a backup",
        "throughline data restore FOLDER; automatic backups are in backups/auto in the data folder",
      );
    }
    const from = path.resolve(cwd, args.backup);
    const found = statIfThere(from);
    if (!found)
      throw notFoundError(
        `${from} does not exist`,
        "name a backup: a folder or a .db file; automatic backups are in backups/auto in the data folder",
      );
    return withoutWorker(home, () =>
      found.isDirectory() ? restoreFolder(from, args.config) : restoreDatabase(from),
    );
  },
});

const SHOWN_PROBLEMS = 20;
const partUnits: Readonly<Record<CheckedPart["part"], [one: string, many?: string]>> = {
  database: ["row"],
  vault: ["blob"],
  ledgers: ["entry", "entries"],
  notes: ["page"],
  memories: ["memory", "memories"],
  backups: ["backup"],
};

function problemLines({ part, problems, fix }: CheckedPart) {
  if (problems.length === 0) return [];
  return [
    ...problems.slice(0, SHOWN_PROBLEMS).map((problem) => `${part}: ${problem}`),
    problems.length > SHOWN_PROBLEMS && `${part}: and ${problems.length - SHOWN_PROBLEMS} more`,
    fix && `fix: ${fix}`,
  ];
}

const check = defineCommand({
  summary: "look for damage",

  examples: { "throughline data check": "database, stored bytes, ledgers, notes, memories and backups" },
  async run() {
    const line = progressLine((part: string) => `reading ${part} …`);
    const { parts, counts } = await checkEverything({
      home: commandContext().home,
      memoriesOf: memoryPlacesOf,
      onPart: line.show,
    }).finally(line.clear);
    const problems = parts.flatMap((part) => part.problems);
    const ok = problems.length === 0;
    const rows = parts.map(({ part, read, problems: found }) => {
      const damage = found.length === 0 ? "ok" : counted(found.length, "problem");
      return [part, damage, counted(read, ...partUnits[part])];
    });
    const kept = counts ? `; ${countedRows(counts)}` : "";
    return {
      data: { ok, problems, counts: counts ?? null, parts },
      text: [columns(rows), ...(ok ? [`no problems${kept}`] : parts.flatMap(problemLines))],
      exitCode: ok ? exitCodes.ok : exitCodes.failure,
    };
  },
});

export { backup, check, restore };
