// A process that lets a transcript grow and archives it, over and over, and dies in the middle of it.
import { appendFileSync, existsSync, readFileSync, writeSync } from "node:fs";
import { archiveTranscript } from "../../src/archive/index.ts";
import { archiveRun, transcriptRows } from "./archiveRows.ts";
import { strikeAt } from "./strike.ts";

const [folder = "", session = "", format = "md", fatal = "Infinity"] = process.argv.slice(2);
const run = archiveRun(folder, session, format === "json" ? "json" : "md");
const strike = await strikeAt(Number(fatal));

const written = existsSync(run.transcript) ? readFileSync(run.transcript, "utf8").split("\n").length : 1;
for (let step = written; ; step++) {
  // A row that the last process left torn becomes a line of its own.
  appendFileSync(run.transcript, `\n${transcriptRows(session, step).join("\n")}\n`);
  strike.arm(true);
  const { outcome } = await archiveTranscript(run.transcript, run.options);
  strike.arm(false);
  writeSync(1, `${step} ${outcome} ${strike.count()}\n`);
}
