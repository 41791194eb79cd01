// A process that saves, changes, supersedes and removes memories, over and over, and may die in the middle of it.
import { writeSync } from "node:fs";
import { readMemoryFile, removeMemory, undoChange, writeMemory } from "../../src/memdir/index.ts";
import { memdirPlace, memoryOf } from "./memdirPlace.ts";
import { strikeAt } from "./strike.ts";

const [folder = "", writer = "", steps = "Infinity", fatal = "Infinity"] = process.argv.slice(2);
const place = memdirPlace(folder);
const strike = await strikeAt(Number(fatal));

/** The others are only added to: those are what must all be there at the end. */
async function stir(file: string, step: number): Promise<void> {
  const memory = readMemoryFile(place, file);
  if (memory === undefined) return;
  const content = memoryOf(writer, step);
  if (step % 5 === 1)
    await writeMemory(place, { ...content, body: `${content.body}, changed` }, { file, expect: memory.hash });
  if (step % 5 === 2)
    await writeMemory(place, { ...content, name: `Later ${content.name}`, supersedes: [file] });
  if (step % 5 === 3) await removeMemory(place, memory);
  if (step % 5 === 4) {
    const removal = await removeMemory(place, memory);
    if (removal !== undefined) await undoChange(place, { id: removal.id });
  }
}

/** One memory that is changed over and over, so that its history has to go. */
async function wear(step: number): Promise<void> {
  const file = `busy-${writer}.md`;
  const memory = readMemoryFile(place, file);
  const content = { ...memoryOf(writer, step), name: `Busy ${writer}` };
  await writeMemory(place, content, memory === undefined ? { file } : { file, expect: memory.hash });
}

for (let step = 0; step < Number(steps); step++) {
  strike.arm(true);
  const { file } = await writeMemory(place, memoryOf(writer, step));
  if (!Number.isFinite(Number(steps))) {
    await stir(file, step);
    await wear(step);
  }
  strike.arm(false);
  writeSync(1, `${step} ${file}\n`);
}
