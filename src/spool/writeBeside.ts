// The same as writing an event, for a process that has others to answer meanwhile: many of them wait for the disk together.
import { open, rename, rm } from "node:fs/promises";
import { makeFolder } from "../lib/index.ts";
import type { CapturedEvent } from "./event.ts";
import { nameFor, PRIVATE_FILE } from "./write.ts";

/** Rejects with what the system throws; then nothing of the event is left. */
export async function writeEventBeside(folder: string, event: CapturedEvent): Promise<string> {
  const name = nameFor(event);
  const temporary = `${folder}/.${name}.tmp`;
  makeFolder(folder);
  try {
    const file = await open(temporary, "wx", PRIVATE_FILE);
    try {
      await file.writeFile(JSON.stringify(event));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, `${folder}/${name}`);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  return name;
}
