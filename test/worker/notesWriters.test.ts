// What writes the notes of a real worker: a configured model, a worker that stops, and none where notes are off.
import { describe, expect, it } from "vitest";
import { parseNotes, readNotes, renderNotes } from "../../src/compact/index.ts";
import { call } from "../../src/ipc/index.ts";
import { anything, on, say, startScriptedApi } from "../scripted-api/index.ts";
import { builtWorker as program } from "./bundle.ts";
import { growingSession } from "./growingSession.ts";
import { ended, until, workerHome } from "./workers.ts";

describe("a worker", () => {
  const workers = workerHome();

  it("has a configured model write them, which sees no secret", async () => {
    const running = growingSession(workers);
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
    const running = growingSession(workers);
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
