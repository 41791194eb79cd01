// Origins in a folder: one file a session, so that many sessions can write without meeting.
import path from "node:path";
import { safeName } from "../home/index.ts";
import type { OriginShelf } from "./blobStore.ts";
import { groupOrigins } from "./find.ts";
import { isTemporary, namesIn } from "./folders.ts";
import { type OriginFile, openOriginFile } from "./originFile.ts";

const SUFFIX = ".jsonl";

export function diskOrigins(folder: string): OriginShelf {
  const opened = new Map<string, OriginFile>();

  function fileNamed(name: string): OriginFile {
    const file = opened.get(name) ?? openOriginFile(path.join(folder, name));
    opened.set(name, file);
    return file;
  }

  function all(): OriginFile[] {
    return namesIn(folder)
      .filter((name) => name.endsWith(SUFFIX) && !isTemporary(name))
      .map(fileNamed);
  }

  return {
    origins(session) {
      if (session === undefined) return all().flatMap((file) => file.entries());
      // Where the file system ignores case, two sessions may share a file.
      return fileNamed(fileNameOf(session))
        .entries()
        .filter((entry) => entry.session === session);
    },
    addOrigins: (entries) => {
      for (const [session, own] of groupOrigins(entries, "session")) fileNamed(fileNameOf(session)).add(own);
    },
    removeOrigins: (doomed) => all().reduce((removed, file) => removed + file.remove(doomed), 0),
  };
}

function fileNameOf(session: string): string {
  return safeName(session) + SUFFIX;
}
