// The tables, columns and indexes that other programs know by their names.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { connectReadOnly } from "../connection.ts";
import { openStore } from "../engine.ts";

const folder = mkdtempSync(path.join(tmpdir(), "throughline-names-"));
const file = path.join(folder, "names.db");
beforeAll(async () => (await openStore({ file })).close());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const words = (text: string): string[] => text.split(/\s+/);
async function columnsOf(table: string): Promise<string[]> {
  const db = await connectReadOnly(file);
  try {
    return db.all(`SELECT name FROM pragma_table_info('${table}')`).map(({ name }) => String(name));
  } finally {
    db.close();
  }
}

it.each([
  [
    "sdk_sessions",
    "id sdk_session_id claude_session_id project prompt_counter status created_at created_at_epoch completed_at completed_at_epoch last_activity_at last_activity_epoch",
  ],
  [
    "observations",
    "id session_id sdk_session_id claude_session_id project prompt_number tool_name correlation_id title subtitle narrative text facts concepts type files_read files_modified created_at created_at_epoch",
  ],
  [
    "session_summaries",
    "id sdk_session_id claude_session_id project prompt_number request investigated learned completed next_steps notes created_at created_at_epoch",
  ],
  [
    "user_prompts",
    "id sdk_session_id claude_session_id project prompt_number prompt_text created_at created_at_epoch",
  ],
  ["observations_fts", "title subtitle narrative text facts concepts"],
  ["session_summaries_fts", "request investigated learned completed next_steps notes"],
  ["user_prompts_fts", "prompt_text"],
])("%s has its columns", async (table, columns) => {
  expect(await columnsOf(table)).toEqual(expect.arrayContaining(words(columns)));
});
