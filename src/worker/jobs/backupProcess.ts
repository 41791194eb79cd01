// The process that makes the daily backup of the database: at low priority, so that the worker and its user come first.
import { constants, setPriority } from "node:os";
import { errorText } from "../../lib/index.ts";
import { makeDailyBackup } from "../../store/index.ts";
import type { BackupAnswer, BackupQuestion } from "./backup.ts";

async function answer(question: BackupQuestion): Promise<BackupAnswer> {
  try {
    return await makeDailyBackup(question);
  } catch (error) {
    return { problem: errorText(error) };
  }
}

process.umask(0o077);
setPriority(constants.priority.PRIORITY_LOW);
const question = JSON.parse(process.argv[2] ?? "{}") as BackupQuestion;
process.stdout.write(JSON.stringify(await answer(question)));
