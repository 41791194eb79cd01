// OpenCode keeps its sessions in a database: each is written out as a file of rows, which is then read like any agent's.
import { mkdirSync } from "node:fs";
import path from "node:path";
import { isObject, isoTime, type JsonObject, parseJson, writeFileAtomic } from "../lib/index.ts";
import { type ForeignRow, openForeign } from "../store/index.ts";

const dataOf = ({ data }: ForeignRow): JsonObject => {
  const value = parseJson(String(data));
  return isObject(value) ? value : {};
};

/** Rows of one session, oldest first: what it is, then each message with its parts. */
function rowsOf(session: ForeignRow, messages: readonly ForeignRow[], parts: readonly ForeignRow[]) {
  const { id, directory, version, title } = session;
  const partsOf = new Map<unknown, object[]>();
  for (const part of parts) {
    const own = partsOf.get(part.message_id) ?? [];
    partsOf.set(part.message_id, [...own, { ...dataOf(part), id: part.id }]);
  }
  return [
    { type: "opencode-session", id, cwd: directory, version, title },
    ...messages.map((message) => {
      const info: JsonObject = { ...dataOf(message), id: message.id };
      const { created } = isObject(info.time) ? info.time : {};
      const timestamp = typeof created === "number" ? isoTime(created) : undefined;
      return { type: "opencode-message", timestamp, info, parts: partsOf.get(message.id) ?? [] };
    }),
  ];
}

/**
 * Writes the sessions of a database into a folder, a file each. Subagents have sessions of their own, which belong to those
 * that started them: they are left out. Throws for what is no database.
 */
export async function writeOutOpenCode(file: string, folder: string): Promise<void> {
  const database = await openForeign(file);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const id of database.values("session", "id")) {
      const [session] = database.rows("session", "id", id);
      if (!session || session.parent_id !== null) continue;
      const [messages, parts] = [
        database.rows("message", "session_id", id),
        database.rows("part", "session_id", id),
      ];
      const lines = rowsOf(session, messages, parts).map((row) => `${JSON.stringify(row)}\n`);
      writeFileAtomic(path.join(folder, `${String(id)}.jsonl`), lines.join(""));
    }
  } finally {
    database.close();
  }
}
