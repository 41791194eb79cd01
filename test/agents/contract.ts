// What every adapter must do, whatever the agent: captured once, nothing lost, nothing of ours stored again, nothing left behind.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { databaseFile, type Home, resolveHome } from "../../src/home/index.ts";
import { isObject } from "../../src/lib/index.ts";
import { openStore, type RedactedEvent, type Session } from "../../src/store/index.ts";
import { cliFile } from "../commandLine.ts";
import { spooled } from "../e2e/throughline.ts";
import { until } from "../until.ts";

/** One short session: a prompt, a command that succeeds, and what the model said at the end. */
export interface ContractSession {
  readonly session: string;
  readonly cwd: string;
  readonly prompt: string;
  readonly command: string;
  readonly output: string;
  readonly said: string;
}

export type ContractEvent = "start" | "prompt" | "tool" | "stop" | "end";
const contractEvents: readonly ContractEvent[] = ["start", "prompt", "tool", "stop", "end"];
const storedKinds = ["prompt", "session-end", "session-start", "stop", "tool"];

export interface AgentContract {
  /** As `install --agent` and stored sessions name it. */
  readonly name: string;
  /** Files that a user of the agent has before, by their path in the home folder; a layout of their own is best. */
  readonly files: Readonly<Record<string, string>>;
  /** A file that the agent itself edits later. */
  readonly edited: { readonly file: string; readonly edit: (text: string) => string };
  /** The program and arguments that the agent would run, read from its own files. */
  commandFor(home: string, event: ContractEvent): readonly string[];
  /** What the agent hands over on stdin. */
  payloadOf(event: ContractEvent, about: ContractSession, transcript: string): object;
  /** Writes the agent's own file of the whole session and gives its path. */
  writeSession(home: string, about: ContractSession): string;
}

const usual = {
  session: "0199aaaa-0000-7000-8000-000000000001",
  prompt: "rename the queue",
  command: "git mv queue.ts lamprey.ts",
  output: "done",
  said: "The queue is called lamprey now.",
};

/** A user's machine with the agent's files. */
function machine({ files }: AgentContract) {
  const folder = mkdtempSync(path.join(tmpdir(), "tl-agent-"));
  const [user, work] = [path.join(folder, "user"), path.join(folder, "work")];
  for (const one of [user, work]) mkdirSync(one);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(user, name)), { recursive: true });
    writeFileSync(path.join(user, name), text);
  }
  const env = { PATH: process.env.PATH, HOME: user, THROUGHLINE_HOME: path.join(folder, "tl") };
  const home: Home = resolveHome({ env, platform: process.platform, homeFolder: user });
  const spawn = (command: readonly string[], input = "") => {
    const [program = "", ...args] = command;
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: work, env, input, encoding: "utf8" });
    return { code: status, out: stdout, err: stderr };
  };
  const must = (...args: readonly string[]) => {
    const { code, out, err } = spawn([process.execPath, cliFile, ...args]);
    expect(code, out + err).toBe(0);
    return out;
  };
  return { folder, user, work, home, spawn, must };
}

type Machine = ReturnType<typeof machine>;

interface Stored {
  readonly events: readonly RedactedEvent[];
  readonly sessions: readonly Session[];
}

/** Lets a worker take everything in, and gives what is stored then. */
async function stored({ home, must }: Machine): Promise<Stored> {
  must("worker", "start");
  await until(() => spooled(home).length === 0, "the spool to be empty");
  must("worker", "stop");
  const store = await openStore({ file: databaseFile(home) });
  try {
    const { items: events } = await store.events({ limit: 500, order: "oldest" });
    const { items: sessions } = await store.sessions({ limit: 500 });
    return { events, sessions };
  } finally {
    await store.close();
  }
}

const kindsOf = ({ events }: Stored): string[] => events.map(({ kind }) => kind).sort();

/** Every file below a folder with its bytes, but not Throughline's own. */
function filesBelow(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const entries = names.map(({ parentPath, name }) => path.join(parentPath, name));
  return Object.fromEntries(entries.map((file) => [path.relative(folder, file), readFileSync(file, "utf8")]));
}

export function agentContract(agent: AgentContract): void {
  let here: Machine;
  const about = (more: Partial<ContractSession> = {}): ContractSession => ({
    ...usual,
    cwd: here.work,
    ...more,
  });
  const install = () => here.must("install", "--agent", agent.name, "--yes");
  /** The hook of an event, run as the agent runs it. */
  const hook = (event: ContractEvent, session: ContractSession, transcript: string) =>
    here.spawn(
      agent.commandFor(here.user, event),
      JSON.stringify(agent.payloadOf(event, session, transcript)),
    );
  const hooks = (session: ContractSession, transcript: string) => {
    for (const event of contractEvents)
      expect(hook(event, session, transcript)).toMatchObject({ code: 0, err: "" });
  };
  beforeEach(() => {
    here = machine(agent);
  });
  afterEach(() => {
    here.spawn([process.execPath, cliFile, "worker", "stop"]);
    rmSync(here.folder, { recursive: true, force: true });
  });

  describe(`the adapter of ${agent.name}`, () => {
    it("stores each event once, from hooks that run twice and from the agent's own file", async () => {
      install();
      const transcript = agent.writeSession(here.user, about());
      hooks(about(), transcript);
      hooks(about(), transcript);
      const found = await stored(here);
      expect(kindsOf(found)).toEqual(storedKinds);
      expect(found.sessions).toMatchObject([{ client: agent.name, claudeSessionId: usual.session }]);
      here.must("import", "--quiet");
      expect(kindsOf(await stored(here))).toEqual(storedKinds);
    });

    it("spools while no worker can run, and answers nothing then", async () => {
      install();
      const transcript = agent.writeSession(here.user, about());
      const runtime = path.join(here.home.state, "runtime.json");
      const state: unknown = JSON.parse(readFileSync(runtime, "utf8"));
      // Both are there, or the hook would look for others.
      const worker = { node: "/bin/false", script: import.meta.filename };
      writeFileSync(runtime, JSON.stringify({ ...(isObject(state) ? state : {}), worker }));
      for (const event of contractEvents)
        expect(hook(event, about(), transcript)).toEqual({ code: 0, out: "", err: "" });
      // A hook without an answer may write after the agent has gone on.
      await until(() => spooled(here.home).length === contractEvents.length, "every event in the spool");
    });

    it("stores neither what it told the model nor private text", async () => {
      install();
      const own = "<throughline-context>STURGEON</throughline-context>";
      const session = about({ prompt: `${own}rename <private>BURBOT</private> it`, output: `${own}fine` });
      hooks(session, agent.writeSession(here.user, session));
      const { events } = await stored(here);
      expect(events).toHaveLength(storedKinds.length);
      const all = JSON.stringify(events);
      expect(all).toContain("rename ");
      expect(all).not.toMatch(/STURGEON|BURBOT/);
    });

    it("captures nothing in an excluded folder, by hooks or by import", async () => {
      install();
      here.must("config", "set", "capture.exclude", JSON.stringify([here.work]));
      hooks(about(), agent.writeSession(here.user, about()));
      expect(spooled(here.home)).toEqual([]);
      here.must("import", "--quiet");
      expect((await stored(here)).events).toEqual([]);
    });

    it("imports a past session as its hooks would have told of it", async () => {
      agent.writeSession(here.user, about());
      here.must("import", "--quiet");
      const found = await stored(here);
      expect(found.sessions).toMatchObject([{ client: agent.name }]);
      const said = found.events.map(({ kind, payload }) => ({ kind, payload }));
      expect(said).toMatchObject([
        { kind: "prompt", payload: { prompt: usual.prompt } },
        { kind: "tool", payload: { tool_name: "Bash", tool_input: { command: usual.command } } },
        { kind: "stop", payload: { last_assistant_message: usual.said } },
        { kind: "session-end" },
      ]);
    });

    it("restores every byte when it is uninstalled, also when the agent has written meanwhile", () => {
      const before = filesBelow(here.user);
      install();
      expect(filesBelow(here.user)).not.toEqual(before);
      install();
      here.must("uninstall", "--agent", agent.name, "--yes");
      expect(filesBelow(here.user)).toEqual(before);
      install();
      const { file, edit } = agent.edited;
      const place = path.join(here.user, file);
      writeFileSync(place, edit(readFileSync(place, "utf8")));
      here.must("uninstall", "--agent", agent.name, "--yes");
      expect(filesBelow(here.user)).toEqual({ ...before, [file]: edit(before[file] ?? "") });
    });
  });
}
