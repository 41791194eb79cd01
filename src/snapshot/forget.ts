// Forgetting a session takes its snapshots with it: the files in the project and the reference to them.
import { rmSync } from "node:fs";
import path from "node:path";
import { readJournal } from "./journal.ts";
import { pages, referenceIn, removeReference } from "./page.ts";

/** `journal` is the session's own; without one there is nothing to forget. */
export function forgetSnapshots(journal: string): void {
  for (const { file } of readJournal(journal)) {
    const project = path.dirname(path.dirname(file));
    rmSync(file, { force: true });
    for (const page of pages)
      if (referenceIn(project, page)?.name === path.basename(file)) removeReference(project, page);
  }
}
