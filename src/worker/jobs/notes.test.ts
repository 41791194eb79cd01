// The keeper of notes: which events it heeds, what it reads, and what it leaves out.
import { appendFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ClaudeRows, type Row } from "../../../test/fixtures/transcript/session.ts";
import { notesFolder, readNotes, readNotesState } from "../../compact/index.ts";
import { type Home, projectOf, resolveHome, sessionPlace } from "../../home/index.ts";
import type { Logger } from "../../log/log.ts";
import type { LanguageModel } from "../../models/index.ts";
import type { CapturedEvent } from "../../spool/index.ts";
import { makeNotesJob, type NotesJob, type NotesJobParts } from "./notes.ts";

let root = "";
let home: Home;
let transcript = "";
let rows: ClaudeRows;
let written = 0;
let said: string[] = [];
let keepers: NotesJob[] = [];

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "throughline-keeper-"));
  home = resolveHome({
    env: { THROUGHLINE_HOME: path.join(root, "home") },
    platform: "linux",
    homeFolder: root,
  });
  transcript = path.join(root, "session-1.jsonl");
  rows = new ClaudeRows();
  [written, said, keepers] = [0, [], []];
});
afterEach(async () => {
  await Promise.all(keepers.map((keeper) => keeper.stop()));
  rmSync(root, { recursive: true, force: true });
});

const note = (level: string) => (facts: unknown, words?: string) =>
  said.push(`${level} ${words} ${JSON.stringify(facts)}`);
const log = { info: note("info"), warn: note("warn"), error: note("error") } as unknown as Logger;

function keep(more: Partial<NotesJobParts> = {}): NotesJob {
  const keeper = makeNotesJob({
    home,
    settingsFor: () => ({}),
    redact: (value) => value,
    pauses: () => [],
    isExcluded: () => false,
    since: () => Promise.resolve(0),
    forgottenUpTo: () => 0,
    log,
    settleMs: 1,
    ...more,
  });
  keepers.push(keeper);
  return keeper;
}

/** Writes the rows that are new into the transcript. */
function flush(): void {
  const lines = rows.rows.slice(written).map((row: Row) => `${JSON.stringify(row)}\n`);
  written = rows.rows.length;
  appendFileSync(transcript, lines.join(""));
}

const event = (kind: CapturedEvent["kind"], more: Partial<CapturedEvent> = {}): CapturedEvent => ({
  v: 1,
  id: `ev_${kind}`,
  kind,
  at: "2026-03-01T10:00:00.000Z",
  session: "session-1",
  cwd: "/home/dev/app",
  transcript,
  lane: "hooks",
  writer: "test",
  payload: {},
  ...more,
});

async function heed(keeper: NotesJob, ...events: CapturedEvent[]): Promise<void> {
  keeper.note(events);
  while (keeper.busy()) await sleep(2);
}

const folder = (): string => notesFolder(sessionPlace(home, projectOf("/home/dev/app").id, "session-1"));
const text = (): string => readNotes(folder())?.text ?? "";
/** About 6,000 tokens of talk, with as many tool calls as asked for. */
function talk(words: string, calls = 4): void {
  rows.user(words);
  for (let at = 0; at < calls; at++) {
    rows.call(`m-${words}-${at}`, `t-${words}-${at}`);
    rows.result(`t-${words}-${at}`);
  }
  rows.say(`m-${words}`, `${"some more words on that. ".repeat(1_000)}`);
}

describe("notes in the worker", () => {
  it("begin at 10,000 tokens and follow the session from there", async () => {
    const keeper = keep();
    talk("first things first");
    flush();
    await heed(keeper, event("stop"));
    expect(readNotes(folder())).toBeUndefined();
    talk("then the login");
    flush();
    await heed(keeper, event("tool"), event("stop"));
    expect(text()).toContain("- Asked: then the login");
    expect(readNotesState(folder())).toMatchObject({
      source: { file: transcript, measured: statSync(transcript).size },
    });
    const before = text();
    rows.user("a small thing");
    rows.say("m9", "done");
    flush();
    await heed(keeper, event("stop"));
    expect(text()).toBe(before);
    talk("and the logout");
    flush();
    await heed(keeper, event("stop"));
    expect(text()).toContain("- Asked: a small thing");
    expect(text()).toContain("and the logout");
    expect(readNotes(folder())?.lastSummarizedId).toBe(rows.last);
    expect(said.filter((line) => line.includes("warn"))).toEqual([]);
  });

  it("are updated after a compaction, however little was said", async () => {
    rows.user("hello");
    rows.say("m1", "hello");
    rows.compact();
    flush();
    await heed(keep(), event("post-compact"));
    expect(text()).toContain("- Asked: hello");
    expect(said.join()).toContain('"due":"compacted"');
  });

  it("are not stirred by subagents, prompts or sessions without a transcript", async () => {
    talk("first things first");
    talk("then the login");
    flush();
    const { transcript: _, ...nowhere } = event("stop");
    await heed(keep(), event("tool", { agent: "a1" }), event("subagent-stop"), event("prompt"), nowhere);
    expect(readNotes(folder())).toBeUndefined();
  });

  it("go on with the next worker where the last one left off", async () => {
    talk("first things first");
    talk("then the login");
    flush();
    await heed(keep(), event("stop"));
    talk("and the logout", 0);
    flush();
    const next = keep();
    await heed(next, event("stop"));
    expect(text()).toContain("- Asked: and the logout");
    expect(readNotesState(folder())?.size).toMatchObject({ toolCalls: 8 });
    expect(said.join()).toContain('"due":"paused"');
  });

  it("measure only what is new, and keep what they can no longer see", async () => {
    talk("first things first");
    talk("then the login");
    flush();
    await heed(keep(), event("stop"));
    // Measured again from its beginning, the transcript would have become smaller.
    writeFileSync(transcript, `${" ".repeat(statSync(transcript).size - 1)}\n`);
    talk("and the logout");
    flush();
    await heed(keep(), event("stop"));
    expect(said.join()).toContain('"due":"grown"');
    expect(text()).toContain("then the login");
    expect(text()).toContain("and the logout");
  });

  it("begin where a session was forked or taken up", async () => {
    rows.user("said in another session");
    rows.user("said here");
    talk("first things first");
    talk("then the login");
    flush();
    const second = Date.parse("2026-03-01T10:00:02.000Z");
    await heed(keep({ since: () => Promise.resolve(second) }), event("stop"));
    expect(text()).toContain("said here");
    expect(text()).not.toContain("another session");
  });

  it("leave out pauses, folders that are excluded, and what was forgotten", async () => {
    const paused = new Date(Date.parse("2026-03-01T10:00:00.000Z") + 1_000).getTime();
    rows.user("said while nothing was to be kept");
    rows.user("said in a folder of secrets", { cwd: "/home/dev/app/secrets" });
    talk("first things first");
    talk("then the login");
    flush();
    await heed(
      keep({
        pauses: () => [{ from: paused, to: paused }],
        isExcluded: (cwd) => cwd.endsWith("secrets"),
      }),
      event("stop"),
    );
    expect(text()).toContain("first things first");
    expect(text()).not.toContain("nothing was to be kept");
    expect(text()).not.toContain("folder of secrets");
    rmSync(folder(), { recursive: true });
    const forgotten = statSync(transcript).size;
    talk("after it was forgotten");
    talk("once more");
    flush();
    await heed(keep({ forgottenUpTo: () => forgotten }), event("stop"));
    expect(text()).toContain("after it was forgotten");
    expect(text()).not.toContain("first things first");
  });

  it("are not kept where they are not wanted", async () => {
    talk("first things first");
    talk("then the login");
    flush();
    await heed(keep({ settingsFor: () => undefined }), event("stop"));
    await heed(keep({ isExcluded: () => true }), event("stop"));
    expect(readNotes(folder())).toBeUndefined();
  });

  it("do not wait for a model when something must be done without them, or at the end", async () => {
    talk("first things first");
    talk("then the login");
    flush();
    let asked = 0;
    const slow: LanguageModel = {
      name: "slow",
      dialect: "text",
      complete: (_request, { signal } = {}) => {
        asked += 1;
        return new Promise((resolve) => {
          const error = { kind: "cancelled", message: "cancelled" } as const;
          signal?.addEventListener("abort", () => resolve({ ok: false, error }));
        });
      },
    };
    const keeper = keep({ settingsFor: () => ({ model: slow }) });
    keeper.note([event("stop")]);
    while (asked === 0) await sleep(2);
    const seen = await keeper.without(async () => text());
    expect(seen).toContain("then the login");
    talk("and the logout");
    flush();
    keeper.note([event("stop")]);
    await keeper.stop();
    expect(text()).toContain("and the logout");
  });

  it("that cannot be written are tried again with the next event", async () => {
    talk("first things first");
    talk("then the login");
    flush();
    const broken = keep({
      redact: () => {
        throw new Error("no");
      },
    });
    await heed(broken, event("stop"));
    expect(said.join()).toContain("notes.failed");
    await heed(keep(), event("tool"));
    expect(text()).toContain("then the login");
  });
});
