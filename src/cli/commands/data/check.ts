// `throughline data check`: whether everything that is kept is whole.
import { type CheckedPart, checkEverything } from "../../../backup/index.ts";
import { defineCommand } from "../../command.ts";
import { columns, exitCodes } from "../../output.ts";
import { surroundings } from "../../surroundings.ts";
import { eraseLine, screenOf } from "../../terminal.ts";
import { counted } from "../../wording.ts";
import { told } from "./database.ts";
import { memoryPlacesOf } from "./memories.ts";

const SHOWN = 20;
const units: Readonly<Record<CheckedPart["part"], string>> = {
  database: "row",
  vault: "blob",
  ledgers: "entry",
  notes: "page",
  memories: "memory",
  backups: "backup",
};
const plurals: Readonly<Record<string, string>> = { entry: "entries", memory: "memories" };

function linesOf({ part, problems, fix }: CheckedPart): string[] {
  if (problems.length === 0) return [];
  const more = problems.length > SHOWN ? [`${part}: and ${problems.length - SHOWN} more`] : [];
  return [
    ...problems.slice(0, SHOWN).map((problem) => `${part}: ${problem}`),
    ...more,
    ...(fix === undefined ? [] : [`fix: ${fix}`]),
  ];
}

export default defineCommand({
  args: {},
  examples: [
    { line: "throughline data check", does: "database, stored bytes, ledgers, notes, memories and backups" },
  ],
  async run() {
    const screen = screenOf("stderr");
    const erase = (): void => {
      if (screen.isTTY) screen.write(eraseLine);
    };
    const { parts, counts } = await checkEverything({
      home: surroundings().home,
      memoriesOf: memoryPlacesOf,
      onPart: (part) => {
        if (screen.isTTY) screen.write(`${eraseLine}reading ${part} …`);
      },
    }).finally(erase);
    const problems = parts.flatMap((part) => part.problems);
    const ok = problems.length === 0;
    const rows = parts.map(({ part, read, problems: found }) => {
      const unit = units[part];
      const damage = found.length === 0 ? "ok" : counted(found.length, "problem");
      return [part, damage, counted(read, unit, plurals[unit] ?? `${unit}s`)];
    });
    const kept = counts === undefined ? "" : `; ${told(counts)}`;
    const summary = ok ? [`nothing is wrong${kept}`] : parts.flatMap(linesOf);
    return {
      data: { ok, problems, counts: counts ?? null, parts },
      text: [columns(rows), ...summary].join("\n"),
      exitCode: ok ? exitCodes.ok : exitCodes.failure,
    };
  },
});
