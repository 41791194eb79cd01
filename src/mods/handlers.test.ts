// What the mod is answered: who takes an event, what is stored of a result, and what a compaction leaves.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type Home,
  isExcludedWork,
  ledgerFile,
  pauseFile,
  projectOf,
  resolveHome,
  sessionPlace,
  spoolFolder,
  vaultFolder,
} from "../home/index.ts";
import type { HookAnswer } from "../inject/index.ts";
import { openLedger } from "../ledger/index.ts";
import { isObject, systemClock } from "../lib/index.ts";
import { openLog } from "../log/log.ts";
import { adopt, openSession, pin, snip, turnTags } from "../pipeline/index.ts";
import { type CapturedEvent, eventId } from "../spool/index.ts";
import type { ToolBackend } from "../tools/tools.ts";
import { openVault, recall } from "../vault/index.ts";
import { type ModsHandlers, makeModsHandlers } from "./handlers.ts";
import { type HostRow, messagesOfRows } from "./hostRows.ts";

let folder: string;
let home: Home;
let answered: CapturedEvent[];
let reply: HookAnswer;
let desk: ModsHandlers;
let excluded: string[];

const hit = {
  ref: "#1",
  kind: "observation",
  at: "2026-03-01T10:00:00.000Z",
  title: "The ferry was late",
  tokens: 50,
} as const;

const backend: ToolBackend = {
  find: async (what) =>
    ({
      search: { hits: [hit], more: false, notes: [] },
      timeline: { items: [] },
      show: { items: [], missing: [] },
      errors: { items: [], total: 0, more: false },
    })[what] as never,
  remember: async () => ({ title: "kept", known: false }),
  turns: async () => undefined,
};

const choose = (lane: string): void =>
  writeFileSync(path.join(home.config, "config.jsonc"), JSON.stringify({ lane }));

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "desk-"));
  home = resolveHome({ env: { THROUGHLINE_HOME: folder }, platform: "linux", homeFolder: folder });
  for (const one of [home.config, home.state, home.data, work()]) mkdirSync(one, { recursive: true });
  choose("mods");
  [answered, reply, excluded] = [[], {}, []];
  desk = makeModsHandlers({
    home,
    env: {},
    version: "1.0.0",
    clock: systemClock,
    log: openLog({
      file: path.join(home.state, "worker.log"),
      level: "error",
      maxBytes: 1_000_000,
      keep: 1,
      redact: (record) => record,
    }),
    isExcluded: (...folders) => isExcludedWork(folders, excluded),
    answer: async (event) => {
      answered.push(event);
      return reply;
    },
    backend,
  });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const work = (): string => path.join(folder, "work");
const asker = () => ({
  session: "s1",
  project: work(),
  version: "2.1.325",
  pid: 7,
});

async function done(op: string, body: object): Promise<Record<string, unknown>> {
  const told = await desk.ask(op, { asker: asker(), model: "claude-opus-5-5", ...body });
  expect(told.kind).toBe("done");
  return told.kind === "done" && isObject(told.data) ? told.data : {};
}

const spooled = (): CapturedEvent[] =>
  existsSync(spoolFolder(home))
    ? readdirSync(spoolFolder(home)).map((name) =>
        JSON.parse(readFileSync(path.join(spoolFolder(home), name), "utf8")),
      )
    : [];

const toolUse = () => ({
  hook_event_name: "PostToolUse",
  session_id: "s1",
  cwd: work(),
  tool_name: "Bash",
  tool_use_id: "toolu_1",
  tool_response: { stdout: "token=<private>hidden</private>" },
});

describe("an event of the mod", () => {
  it("is spooled with the id that a hook would have given it, and without what is private", async () => {
    const { event } = await done("event", { payload: toolUse() });
    expect(event).toBe(eventId({ session: "s1", kind: "tool", key: "toolu_1" }));
    expect(spooled()).toMatchObject([{ id: event, lane: "mods", payload: { agent_pid: 7 } }]);
    expect(JSON.stringify(spooled())).not.toContain("hidden");
    expect(answered).toEqual([]);
  });

  it("that asks for an answer gets what a hook would have printed", async () => {
    reply = { systemMessage: "loaded", context: "known" };
    const payload = { hook_event_name: "SessionStart", session_id: "s1", cwd: work(), source: "startup" };
    expect(await done("event", { payload })).toMatchObject({ context: "known", message: "loaded" });
  });

  it("after a compaction is not told again what the window gets back by itself", async () => {
    const memory = '<throughline-context kind="memory" nonce="1">index</throughline-context>';
    reply = { context: "snapshot", index: memory };
    const payload = { hook_event_name: "SessionStart", session_id: "s1", cwd: work(), source: "compact" };
    expect(await done("event", { payload, hasBlock: true })).toMatchObject({ context: "snapshot" });
    expect(await done("event", { payload, hasBlock: false })).toMatchObject({
      context: `snapshot\n\n${memory}`,
    });
  });

  it.each<[string, () => void]>([
    ["on the lane of hooks", () => choose("hooks")],
    ["while capture is paused", () => writeFileSync(pauseFile(home), "")],
    ["in an excluded folder", () => excluded.push(work())],
  ])("is left to the hooks %s", async (_, make) => {
    make();
    expect(await desk.ask("event", { asker: asker(), payload: toolUse() })).toMatchObject({
      kind: "declined",
    });
    expect(spooled()).toEqual([]);
  });

  it.each([
    ["event", {}],
    ["event", { asker: { session: "s1", project: "/nowhere" } }],
    ["compact", { asker: { session: 1 } }],
  ])("is declined where it makes no sense: %s %j", async (op, body) => {
    expect(await desk.ask(op, body)).toMatchObject({ kind: "declined" });
  });

  it("of an unknown kind is said to be unknown", async () => {
    expect(await desk.ask("dance", { asker: asker() })).toEqual({ kind: "unknown" });
  });
});

const lines = (name: string, count: number): string =>
  Array.from({ length: count }, (_, at) => `${name} ${at}: the ferry leaves at ${at % 24} o'clock`).join(
    "\n",
  );

describe("a result", () => {
  it("over the budget becomes a preview, is counted, and stands in the ledger as the host's", async () => {
    const content = lines("row", 2_000);
    const results = [{ type: "tool_result", tool_use_id: "t1", content }];
    const told = await done("result", { tool: "Bash", item: "u1", results });
    expect(told.results).toMatchObject([{ tool_use_id: "t1", content: expect.stringMatching(/recall tl:/) }]);
    expect(told.line).toMatch(/^saved \d+k tokens \(1 result\)$/);
    const place = sessionPlace(home, projectOf(work()).id, "s1");
    expect(openLedger(ledgerFile(place)).entries()).toMatchObject([{ by: "host", level: "budget" }]);
    expect(desk.account()).toMatchObject({ results: 1 });
  });

  it("that Claude Code put away itself is taken from its file, and from no other", async () => {
    const transcript = path.join(folder, "projects", "s1.jsonl");
    const outputs = path.join(folder, "projects", "s1", "tool-results");
    mkdirSync(outputs, { recursive: true });
    writeFileSync(transcript, "");
    const [own, other] = [path.join(outputs, "b1.txt"), path.join(folder, "key.txt")];
    for (const file of [own, other]) writeFileSync(file, lines(file, 3_000));
    const ask = async (file: string, id: string) => {
      const content = `<persisted-output>\nOutput too large (90KB). Full output saved to: ${file}\n\nPreview`;
      const results = [{ type: "tool_result", tool_use_id: id, content }];
      return desk.ask("result", { asker: { ...asker(), transcript }, tool: "Bash", results });
    };
    const text = JSON.stringify(await ask(own, "t1"));
    const handle = /recall (tl:\w+)/.exec(text)?.[1] ?? "";
    expect(Buffer.from(recall(openVault(vaultFolder(home)), handle, {}).bytes).toString()).toBe(
      lines(own, 3_000),
    );
    expect(await ask(other, "t2")).toMatchObject({ data: { results: [] } });
  });
});

/** Turns of a few thousand tokens each, and a short one. */
const conversation = (): HostRow[] =>
  ["alpha", "beta", "gamma", "delta", "end"].flatMap((name): HostRow[] => [
    { role: "user", text: `work on ${name}`, toolUses: [], handle: `${name}-u` },
    { role: "assistant", text: lines(name, name === "end" ? 3 : 300), toolUses: [], handle: `${name}-a` },
  ]);

/** Claude Code's own compaction, as the mod hands its summary on. */
const own = {
  summary:
    "This session is being continued from a previous conversation.\n\nSummary:\n1. Primary Request and Intent:\n   CLAUDE'S WORDS on alpha to delta\n\n9. Optional Next Step:\n   work on end\n\nIf you need specific details from before compaction, read the transcript",
  keptFrom: "end-u",
};

const compact = async (more: object = { isRefused: true }) => {
  const told = await done("compact", { trigger: "manual", messages: conversation(), ...more });
  return told.messages as HostRow[];
};

describe("a compaction", () => {
  it("wants Claude's own summary where no model wrote notes, and announces nothing", async () => {
    expect(await done("compact", { trigger: "manual", messages: conversation() })).toEqual({
      wantsSummary: true,
    });
    expect(answered).toEqual([]);
  });

  it("leaves Claude's summary with the user's words, a handle and the newest messages", async () => {
    const rows = await compact(own);
    const [summary] = rows;
    expect(summary?.text).toMatch(/^This session is being continued/);
    expect(summary?.text.split("This session is being continued")).toHaveLength(2);
    expect(summary?.text).not.toContain("If you need specific details");
    for (const words of ["CLAUDE'S WORDS", "user: work on alpha", "user: work on delta", "recall tl:"])
      expect(summary?.text).toContain(words);
    expect(rows.at(-1)?.text).toBe(lines("end", 3));
    expect(rows.every(({ handle }) => handle === undefined)).toBe(true);
    // Claude Code has reported its own compaction.
    expect(answered).toEqual([]);
  });

  it("keeps all that Claude's summary had not read", async () => {
    const rows = await compact({ ...own, keptFrom: "delta-u" });
    expect(rows.map(({ text }) => text)).toContain("work on delta");
  });

  it("of which Claude Code wrote no summary leaves one of the messages, and is announced before", async () => {
    const rows = await compact();
    expect(rows[0]?.text).toMatch(/^This session is being continued/);
    expect(rows.at(-1)?.text).toBe(lines("end", 3));
    expect(rows.every(({ handle }) => handle === undefined)).toBe(true);
    expect(JSON.stringify(rows).length).toBeLessThan(JSON.stringify(conversation()).length / 2);
    expect(answered).toMatchObject([{ kind: "pre-compact", lane: "mods", payload: { trigger: "manual" } }]);
  });

  it("of a conversation in which there is nothing to sum up is left to Claude Code, and announced by it", async () => {
    const messages = conversation().slice(0, 1);
    for (const more of [own, { isRefused: true }])
      expect(await desk.ask("compact", { asker: asker(), trigger: "auto", messages, ...more })).toMatchObject(
        {
          kind: "declined",
        },
      );
    expect(spooled()).toEqual([]);
  });

  it("carries out what was snipped, and keeps what is pinned", async () => {
    const place = sessionPlace(home, projectOf(work()).id, "s1");
    const session = openSession(place, { vault: vaultFolder(home) });
    const history = messagesOfRows(conversation());
    adopt(session, history);
    const tags = turnTags(history);
    snip(session, { ids: [tags[2]?.tag], reason: "done" }, { model: "claude-opus-5-5" });
    pin(session, ["alpha-u"]);
    const text = JSON.stringify(await compact());
    expect(text).not.toContain("gamma 299");
    expect(text).toContain('"text":"work on alpha"');
    const entries = session.ledger.entries();
    expect(entries.filter(({ by }) => by === "host").map(({ level }) => level)).toEqual([
      "snip",
      "autocompact",
    ]);
    const snipped = entries.find(({ level, by }) => level === "snip" && by === "host");
    const kept = recall(session.vault, snipped?.handles?.[0] ?? "", {}).bytes;
    expect(Buffer.from(kept).toString()).toContain("gamma 299");
  });
});
