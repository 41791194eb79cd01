// The places where a fact could be looked up: the files of a repository, the list of their paths, and the commits. A part of them
// is enough: what is found was there to be found.
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { runGit } from "../home/git.ts";
import { readSourceText, walkFolders } from "./repository.ts";

/** Texts in lower case, numbers without separators. */
export interface Place {
  readonly kind: "file" | "tree" | "commit";
  /** The path of a file, else empty. */
  readonly name: string;
  readonly text: string;
}

const TURN_MS = 10;
const MOST_PLACE_BYTES = 300_000;
const MOST_COMMITS = 500;
/** Separates commits; no message has it. */
const RECORD = "\u001e";

async function commitPlaces(root: string, withinMs: number): Promise<Place[]> {
  const format = `--format=${RECORD}%an%n%s%n%b`;
  const log = await runGit(root, ["log", `-n${MOST_COMMITS}`, "--name-only", format], withinMs);
  return (log ?? "")
    .split(RECORD)
    .filter((text) => text.trim() !== "")
    .map((text) => ({ kind: "commit", name: "", text: text.toLowerCase() }));
}

/** In lower case, and numbers as a text would write them: 7_500 is 7500. */
const comparable = (text: string) => text.toLowerCase().replace(/(?<=\d)_(?=\d{3})/g, "");

/** As much as can be read in the time, without blocking other work for more than a few milliseconds. */
export async function readPlaces(root: string, mostMs: number): Promise<readonly Place[]> {
  const end = performance.now() + mostMs;
  const commits = await commitPlaces(root, mostMs);
  const walk = walkFolders(root, []);
  let since = performance.now();
  const isOver = async () => {
    if (performance.now() - since > TURN_MS) {
      await nextTurn();
      since = performance.now();
    }
    return performance.now() > end;
  };
  let step = walk.next();
  while (!step.done) {
    if (await isOver()) return commits;
    step = walk.next();
  }
  const { files, ignored } = step.value;
  const own = [...files].filter((file) => !ignored.has(file));
  const places: Place[] = [...commits, { kind: "tree", name: "", text: own.join("\n").toLowerCase() }];
  for (const file of own) {
    if (await isOver()) break;
    const text = readSourceText(path.join(root, file), MOST_PLACE_BYTES);
    if (text !== undefined) places.push({ kind: "file", name: file, text: comparable(`${file}\n${text}`) });
  }
  return places;
}
