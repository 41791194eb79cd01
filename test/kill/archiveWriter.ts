// A process that lets a transcript grow and archives it, over and over, until it is killed.
import { appendFileSync, existsSync, readFileSync, writeSync } from "node:fs";
import { archiveTranscript } from "../../src/archive/index.ts";
import { archiveRun, transcriptRows } from "./archiveRows.ts";

const [folder = "", session = "", format = "md"] = process.argv.slice(2);
const run = archiveRun(folder, session, format === "json" ? "json" : "md");

const written = existsSync(run.transcript) ? readFileSync(run.transcript, "utf8").split("\n").length : 1;
for (let step = written; ; step++) {
  // A row that the last process left torn becomes a line of its own.
  appendFileSync(run.transcript, `\n${transcriptRows(session, step).join("\n")}\n`);
  const { outcome } = await archiveTranscript(run.transcript, run.options);
  writeSync(1, `${step} ${outcome}\n`);
}
