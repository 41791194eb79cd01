// `throughline doctor`: finds problems with the command that fixes each; `--fix` does what is safe.

import { chmodSync, statSync } from "node:fs";
import { carryOutInstall, diagnose, type Finding, type Repair } from "../../install/index.ts";
import { startWorker } from "../../ipc/index.ts";
import { errorText, ThroughlineError } from "../../lib/index.ts";
import { defineCommand, flag } from "../command.ts";
import { installationFacts, installRequest, prepareAll } from "../installation.ts";
import { exitCodes } from "../output.ts";
import { workerProgram } from "../package.ts";
import { paint } from "../terminal.ts";

function makePrivate(paths: readonly string[]) {
  for (const path of paths) chmodSync(path, statSync(path).isDirectory() ? 0o700 : 0o600);
  return `made ${paths.join(", ")} private`;
}

/** Carries out one repair and describes it; each touches only our own files and entries. */
function carryOut(repair: Repair) {
  if (repair.do === "close") return makePrivate(repair.paths);
  if (repair.do === "start-worker")
    return startWorker(workerProgram()) ? "started the worker" : "the worker could not be started";
  const request = installRequest(repair.scope, { project: repair.project });
  const done = prepareAll(request).map((prepared) => carryOutInstall(prepared, new Date()));
  return `reinstalled in ${done.map(({ file }) => file).join(" and ")}`;
}

function repairAll(findings: readonly Finding[]) {
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

function findingText({ id, severity, what, fix }: Finding) {
  const label = paint(severity === "problem" ? "red" : "yellow", severity);
  return `${label} ${id}: ${what}\n  fix: ${fix}`;
}

/** Never throws: what prevents all checks is a finding too. */
async function findProblems(): Promise<Finding[]> {
  try {
    return diagnose(await installationFacts({ deep: true }));
  } catch (error) {
    const { fix = "check HOME and THROUGHLINE_HOME" } = error instanceof ThroughlineError ? error : {};
    const what = `nothing could be checked: ${errorText(error)}`;
    return [{ id: "check-failed", severity: "problem", what, fix }];
  }
}

const doctor = defineCommand({
  args: {
    fix: flag("apply the safe fixes, then check again"),
  },
  examples: {
    "throughline doctor": "problems, each with the command that fixes it",
    "throughline doctor --fix": "apply fixes that touch only our own files and entries",
    "throughline doctor --json": "the findings, for a program",
  },
  async run({ args }) {
    const before = await findProblems();
    const done = args.fix ? repairAll(before) : [];
    const findings = done.length === 0 ? before : await findProblems();
    const hasProblem = findings.some(({ severity }) => severity === "problem");
    return {
      data: { ok: !hasProblem, findings, done },
      text: [
        ...done.map((line) => `done: ${line}`),
        ...findings.map(findingText),
        findings.length === 0 && "no problems found",
      ],
      exitCode: hasProblem ? exitCodes.failure : exitCodes.ok,
    };
  },
});

export default { doctor };
