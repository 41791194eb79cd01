// A session whose transcript and spooled events grow a turn at a time; its answers carry a secret.
import { appendFileSync, mkdirSync } from "node:fs";
import path from "node:path";
import { notesFolder } from "../../src/compact/index.ts";
import { projectOf, sessionPlace } from "../../src/home/index.ts";
import { ClaudeRows } from "../fixtures/transcript/session.ts";
import { stopPayload, toolPayload } from "./payloads.ts";
import type { WorkerHome } from "./workers.ts";

export const SESSION = "session-1";
const secret = `sk-ant-api03-${"Q7w_9".repeat(18)}AA`;

/** A session that grows: rows go into its transcript, events into the spool. */
export function growingSession(workers: WorkerHome) {
  const transcript = path.join(workers.folder, "project", `${SESSION}.jsonl`);
  mkdirSync(path.dirname(transcript), { recursive: true });
  const rows = new ClaudeRows();
  let written = 0;
  const place = sessionPlace(workers.home, projectOf("/home/dev/app").id, SESSION);
  const more = { transcript_path: transcript, cwd: "/home/dev/app" };
  return {
    folder: notesFolder(place),
    turn(words: string): void {
      rows.user(words);
      for (let at = 0; at < 4; at++) {
        rows.call(`m-${words}-${at}`, `t-${words}-${at}`);
        rows.result(`t-${words}-${at}`);
        workers.spoolEvent(toolPayload(SESSION, rows.rows.length, more));
      }
      rows.say(`m-${words}`, `The key is ${secret}. ${"more words on that ".repeat(1_500)}`);
      appendFileSync(
        transcript,
        rows.rows
          .slice(written)
          .map((row) => `${JSON.stringify(row)}\n`)
          .join(""),
      );
      written = rows.rows.length;
      workers.spoolEvent(stopPayload(SESSION, { ...more, last_assistant_message: words }));
    },
    last: () => rows.last,
  };
}
