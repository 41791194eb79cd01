// `throughline memory lint`: schema, index, budget, duplicates, contradictions, secrets, orders, and what went stale.
import {
  applyFixes,
  confirmedBodies,
  type Folder,
  indexText,
  type LintFinding,
  lintMemories,
  openFolder,
  outsideChanges,
  verdictsOn,
} from "../../../memdir/index.ts";
import { defineCommand } from "../../command.ts";
import { columns, exitCodes } from "../../output.ts";
import { paint } from "../../terminal.ts";
import { dirArgument, type Here, here, repositoryOf } from "./context.ts";

const colours = { error: "red", warning: "yellow", note: "dim" } as const;

function findingsIn(own: Here, folder: Folder): LintFinding[] {
  return lintMemories({
    folder,
    indexText: indexText(own.place),
    outside: outsideChanges(own.place, folder),
    now: Date.now(),
    verdicts: verdictsOn(folder.memories, repositoryOf(own)),
    instructions: own.instructions,
    confirmed: confirmedBodies(own.place),
  });
}

export default defineCommand({
  args: {
    fix: { type: "boolean", description: "put right what needs no decision; every step can be undone" },
    ...dirArgument,
  },
  examples: [
    { line: "throughline memory lint", does: "everything that was found, with the way out" },
    { line: "throughline memory lint --fix", does: "lines of the index, dates; orders go to quarantine" },
  ],
  async run({ args }) {
    const own = here(args.dir);
    const folder = await openFolder(own.place);
    const before = findingsIn(own, folder);
    const mended = args.fix ? await applyFixes(own.place, folder, before) : [];
    const findings = mended.length === 0 ? before : findingsIn(own, await openFolder(own.place));
    const rows = findings.map(({ severity, file, kind, problem, fix }) => [
      paint(colours[severity], severity),
      file,
      `${kind}: ${problem}${paint("dim", ` (${fix})`)}`,
    ]);
    const count = (severity: LintFinding["severity"]): number =>
      findings.filter((finding) => finding.severity === severity).length;
    const summary = `${folder.memories.length} memories: ${count("error")} errors, ${count("warning")} warnings${mended.length === 0 ? "" : `; ${mended.length} put right`}`;
    return {
      data: { memories: folder.memories.length, findings, mended },
      text: [...(rows.length === 0 ? [] : [columns(rows)]), summary].join("\n"),
      exitCode: count("error") > 0 ? exitCodes.degraded : exitCodes.ok,
    };
  },
});
