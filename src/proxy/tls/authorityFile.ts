// The file that a child's NODE_EXTRA_CA_CERTS names: the user's own authorities and the proxy's. Certificates only.
import path from "node:path";
import { ensureFolder, isRunning, namesIn, removeFile, writeFileAtomic } from "../../lib/index.ts";
import { certificatesIn } from "./trust.ts";

const NAME = /^authority-(\d+)-[0-9a-f]+\.pem$/;

/** Files of processes that ended without removing them. */
function removeLeftOver(folder: string) {
  for (const name of namesIn(folder)) {
    const pid = Number(NAME.exec(name)?.[1] ?? 0);
    if (pid > 0 && !isRunning(pid)) removeFile(path.join(folder, name));
  }
}

/** Writes the file for this process and returns its path. */
export function writeAuthorityFile(folder: string, authority: string, ownFile: string | undefined): string {
  ensureFolder(folder);
  removeLeftOver(folder);
  const name = `authority-${process.pid}-${Date.now().toString(16)}.pem`;
  const file = path.join(folder, name);
  writeFileAtomic(file, [...certificatesIn(ownFile), authority].join("\n"));
  return file;
}
