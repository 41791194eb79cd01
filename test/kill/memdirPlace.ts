// Where the memory directory's writers write, and what: told by a number, so that it can be checked afterwards.
import path from "node:path";
import type { MemoryContent, MemoryPlace } from "../../src/memdir/index.ts";
import { seededRandom } from "./seededRandom.ts";

export const memdirPlace = (folder: string): MemoryPlace => ({
  folder: path.join(folder, "memory"),
  books: path.join(folder, "books"),
  isClaudes: false,
  // So little that the log is rewritten all the time.
  history: { days: 1e-9, versions: 2 },
});

export function memoryOf(writer: string, step: number): MemoryContent {
  const random = seededRandom(step * 7_919 + writer.length);
  return {
    name: `Fact ${writer} ${step}`,
    description: `what ${writer} found in step ${step}`,
    type: "project",
    body: `${(step % 2 === 0 ? "word " : "话语 ").repeat(1 + random(400))}\nend of ${writer} ${step}`,
  };
}
