// `throughline doctor`: what is wrong and the command that puts it right; `--fix` does what is safe.
import { chmodSync, statSync } from "node:fs";
import { carryOutInstall, diagnose, type Finding, type Repair } from "../../install/index.ts";
import { startWorker } from "../../ipc/index.ts";
import { errorText, ThroughlineError } from "../../lib/index.ts";
import { defineCommand } from "../command.ts";
import { factsHere, installRequest, preparedFor } from "../installation.ts";
import { exitCodes } from "../output.ts";
import { workerProgram } from "../ownPackage.ts";
import { paint } from "../terminal.ts";

function close(paths: readonly string[]): string {
  for (const path of paths) chmodSync(path, statSync(path).isDirectory() ? 0o700 : 0o600);
  return `closed ${paths.join(", ")} to others`;
}

/** Does one thing and says what; each touches nothing but what is ours. */
function carryOut(repair: Repair): string {
  if (repair.do === "close") return close(repair.paths);
  if (repair.do === "start-worker") {
    return startWorker(workerProgram()) ? "started the worker" : "the worker could not be started";
  }
  const request = installRequest(repair.scope, { project: repair.project });
  const done = preparedFor(request).map((prepared) => carryOutInstall(prepared, new Date()));
  return `installed again in ${done.map(({ file }) => file).join(" and ")}`;
}

function repairAll(findings: readonly Finding[]): string[] {
  const repairs = new Map(
    findings.flatMap(({ repair }) => (repair ? [[JSON.stringify(repair), repair]] : [])),
  );
  return [...repairs.values()].map((repair) => {
    try {
      return carryOut(repair);
    } catch (error) {
      return `could not ${repair.do}: ${errorText(error)}`;
    }
  });
}

function findingText({ id, severity, what, fix }: Finding): string {
  const label = paint(severity === "problem" ? "red" : "yellow", severity);
  return `${label} ${id}: ${what}\n  fix: ${fix}`;
}

/** There is always a report: what keeps all checks from being carried out is a finding too. */
async function look(): Promise<Finding[]> {
  try {
    return diagnose(await factsHere({ deep: true }));
  } catch (error) {
    const fix = error instanceof ThroughlineError ? error.fix : undefined;
    const what = `nothing could be checked: ${errorText(error)}`;
    return [{ id: "check-failed", severity: "problem", what, fix: fix ?? "check HOME and THROUGHLINE_HOME" }];
  }
}

export default defineCommand({
  args: {
    fix: { type: "boolean", description: "carry out what is safe, then look again" },
  },
  examples: [
    { line: "throughline doctor", does: "what is wrong, each with the command that puts it right" },
    { line: "throughline doctor --fix", does: "does what touches only our own files and entries" },
    { line: "throughline doctor --json", does: "the findings for a program" },
  ],
  async run({ args }) {
    const before = await look();
    const done = args.fix ? repairAll(before) : [];
    const findings = done.length === 0 ? before : await look();
    const ill = findings.some(({ severity }) => severity === "problem");
    const text = [
      ...done.map((line) => `done: ${line}`),
      ...findings.map(findingText),
      ...(findings.length === 0 ? ["everything is as it should be"] : []),
    ];
    return {
      data: { ok: !ill, findings, done },
      text: text.join("\n"),
      exitCode: ill ? exitCodes.failure : exitCodes.ok,
    };
  },
});
