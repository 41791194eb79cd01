// A process that puts blobs into a vault until it is killed, or until it has put as many as it was told.
import { writeSync } from "node:fs";
import { openVault } from "../../src/vault/index.ts";
import { vaultContent } from "./vaultContent.ts";

const [folder = "", session = "", writer = "", count = "Infinity"] = process.argv.slice(2);
const vault = openVault(folder);

for (let index = 0; index < Number(count); index++) {
  const { handle } = vault.put(vaultContent(writer, index), { session, toolUseId: `${writer}-${index}` });
  writeSync(1, `${handle}\n`);
}
