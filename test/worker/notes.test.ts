// Notes by a real worker: from spooled events and a transcript to a page on disk, over restarts, without a secret.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { notesFile, readNotes } from "../../src/compact/index.ts";
import { call } from "../../src/ipc/index.ts";
import { builtWorker as program } from "./bundle.ts";
import { growingSession, SESSION } from "./growingSession.ts";
import { ended, until, workerHome } from "./workers.ts";

describe("a worker", () => {
  const workers = workerHome();

  it("keeps a session's notes current, also after it was killed, and forgets them with the session", async () => {
    const running = growingSession(workers);
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
});
