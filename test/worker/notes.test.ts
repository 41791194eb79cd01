// Notes by a real worker: from spooled events and a transcript to a page on disk, over restarts, without a secret.
import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { notesFile, notesFolder, parseNotes, readNotes, renderNotes } from "../../src/compact/index.ts";
import { projectOf, sessionPlace } from "../../src/home/index.ts";
import { call } from "../../src/ipc/index.ts";
import { ClaudeRows } from "../fixtures/transcript/session.ts";
import { anything, on, say, startScriptedApi } from "../scripted-api/index.ts";
import { builtWorker as program } from "./bundle.ts";
import { stopPayload, toolPayload } from "./payloads.ts";
import { ended, until, workerHome } from "./workers.ts";

const SESSION = "session-1";
const secret = `sk-ant-api03-${"Q7w_9".repeat(18)}AA`;

describe("a worker", () => {
  const workers = workerHome();

  /** A session that grows: rows go into its transcript, events into the spool. */
  function session() {
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

  it("keeps a session's notes current, also after it was killed, and forgets them with the session", async () => {
    const running = session();
    const reaches = (id: string | null) => () =>
      readNotes(running.folder)?.lastSummarizedId === id ? true : undefined;
    const first = await workers.run(program);
    running.turn("make the login work");
    running.turn("now the logout");
    await until(reaches(running.last()), "notes");
    const text = readFileSync(notesFile(running.folder), "utf8");
    expect(text).toContain("now the logout");
    expect(text).toContain("make the login work");
    expect(text).not.toContain("sk-ant-api03");
    first.kill("SIGKILL");
    await ended(first);
    running.turn("while nobody was there");
    const second = await workers.run(program);
    await until(reaches(running.last()), "notes by the next worker");
    expect(readNotes(running.folder)?.text).toContain("while nobody was there");
    await call(workers.socket, "forget", { args: { session: SESSION, carryOut: true }, timeoutMs: 20_000 });
    expect(readNotes(running.folder)).toBeUndefined();
    running.turn("a new beginning");
    running.turn("and more of it");
    await until(reaches(running.last()), "notes of what came later");
    expect(readNotes(running.folder)?.text).not.toContain("logout");
    second.kill("SIGTERM");
    await ended(second);
  });

  it("has a configured model write them, which sees no secret", async () => {
    const running = session();
    const page = renderNotes({ ...parseNotes(""), "Current State": "In a model's words." });
    const api = await startScriptedApi({ scenario: [on(anything, say(`<notes>${page}</notes>`))] });
    try {
      await workers.run(program, {
        THROUGHLINE_LLM_PROVIDER: "anthropic",
        THROUGHLINE_LLM_BASE_URL: api.url,
        THROUGHLINE_LLM_MODEL: "claude-haiku-4-5",
        ANTHROPIC_API_KEY: "key-for-tests",
      });
      running.turn("make the login work");
      running.turn("now the logout");
      await until(() => (readNotes(running.folder)?.text === page ? true : undefined), "a model's notes");
      expect(JSON.stringify(api.requests.map(({ body }) => body))).toContain("now the logout");
      expect(JSON.stringify(api.requests.map(({ body }) => body))).not.toContain("sk-ant-api03");
    } finally {
      await api.close();
    }
  });

  it("writes what is due before it leaves, and nothing where notes are switched off", async () => {
    const running = session();
    const off = await workers.run(program, { THROUGHLINE_NOTES_ENABLED: "false" });
    running.turn("make the login work");
    running.turn("now the logout");
    await call(workers.socket, "drain", { timeoutMs: 20_000 });
    off.kill("SIGTERM");
    await ended(off);
    expect(readNotes(running.folder)).toBeUndefined();
    const on = await workers.run(program);
    running.turn("and on again");
    await call(workers.socket, "drain", { timeoutMs: 20_000 });
    on.kill("SIGTERM");
    await ended(on);
    expect(readNotes(running.folder)?.text).toContain("and on again");
  });
});
