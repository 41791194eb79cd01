// The process that makes the daily backup and sweeps the vault: at low priority, so that the worker and its user come first.
import { constants, setPriority } from "node:os";
import { errorText } from "../../lib/index.ts";
import { makeDailyBackup } from "../../store/index.ts";
import type { BackupQuestion } from "./backup.ts";
import { type SweepQuestion, sweepVault } from "./vaultSweep.ts";

async function answerBackup(question: BackupQuestion | SweepQuestion) {
  try {
    return "home" in question ? await sweepVault(question) : await makeDailyBackup(question);
  } catch (error) {
    return { problem: errorText(error) };
  }
}

process.umask(0o077);
setPriority(constants.priority.PRIORITY_LOW);
process.stdout.write(JSON.stringify(await answerBackup(JSON.parse(process.argv[2] ?? "{}"))));
