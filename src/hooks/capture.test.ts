// The capture hook as a process: what it keeps, and how it behaves when everything around it is wrong.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { hookFile, hookHouse, payloads, quiet } from "../../test/hookProcess.ts";
import { hookLog, pauseFile, spoolFolder } from "../home/index.ts";

const house = hookHouse();
const posix = it.skipIf(process.platform === "win32");
const asUser = it.skipIf(process.platform === "win32" || process.getuid?.() === 0);

describe("the capture hook", () => {
  it("writes the event down and says nothing", () => {
    expect(house.run("capture", payloads.tool())).toEqual(quiet);
    const [event, ...more] = house.events();
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      v: 1,
      kind: "tool",
      session: "0d52b3bd-0000-4000-8000-000000000001",
      cwd: "/home/dev/app",
      lane: "hooks",
      payload: payloads.tool(),
    });
    expect(event?.writer).toMatch(/^\d+\.\d+\.\d+/);
    expect(house.log()).toEqual([]);
  });

  it("says how long it took, and whose process the agent is", () => {
    house.run("capture", payloads.tool(), { CLAUDE_PID: "4711" });
    const [event] = house.events();
    expect(event?.payload).toEqual({ ...payloads.tool(), agent_pid: 4711 });
    expect(Number.isInteger(event?.took)).toBe(true);
    expect(event?.took).toBeGreaterThan(0);
  });

  posix("keeps the event private", () => {
    house.run("capture", payloads.tool());
    const spool = spoolFolder(house.home);
    expect(statSync(spool).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(spool)) expect(statSync(path.join(spool, name)).mode & 0o777).toBe(0o600);
  });

  it.each([
    ["Stop", { last_assistant_message: "done" }, "stop"],
    ["SubagentStop", { agent_id: "a1", last_assistant_message: "done" }, "subagent-stop"],
    ["PostToolUseFailure", { tool_use_id: "toolu_2", error: "Exit code 3" }, "tool-failure"],
    ["PostCompact", { trigger: "auto", compact_summary: "so far" }, "post-compact"],
    ["SessionEnd", { reason: "other" }, "session-end"],
  ])("takes %s", (name, fields, kind) => {
    expect(house.run("capture", payloads.tool({ hook_event_name: name, ...fields }))).toEqual(quiet);
    expect(house.events()).toMatchObject([{ kind, payload: fields }]);
  });

  it("writes a result of several megabytes whole", () => {
    const stdout = "line of output ü\n".repeat(200_000);
    expect(house.run("capture", payloads.tool({ tool_response: { stdout } }))).toEqual(quiet);
    expect(house.events()[0]?.payload).toMatchObject({ tool_response: { stdout } });
  });
});

describe("what never reaches the disk", () => {
  const everything = (): string =>
    readdirSync(house.folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), "utf8"))
      .join("\n");

  it("is private text, also behind a tag that is never closed", () => {
    const prompt = "keep this <private>not-this-one</private> and <private>nor-this";
    expect(house.run("answer", payloads.prompt({ prompt }))).toEqual(quiet);
    house.run("capture", payloads.tool({ tool_response: { stdout: "<private>not-this-one\nnor-this" } }));
    expect(house.events()).toHaveLength(2);
    expect(everything()).toContain("keep this");
    expect(everything()).toContain("[redacted: private]");
    expect(everything()).not.toMatch(/not-this-one|nor-this/);
  });

  it("is a secret of a known shape, wherever it stands", () => {
    const secret = ["ghp", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].join("_");
    house.run(
      "capture",
      payloads.tool({
        tool_input: { command: `curl -H 'Authorization: token ${secret}'` },
        tool_response: [secret],
      }),
    );
    expect(house.events()).toHaveLength(1);
    expect(everything()).not.toContain(secret);
  });

  it("is what Throughline itself told the model", () => {
    const stdout = 'before <throughline-context v="1">remembered</throughline-context> after';
    house.run("capture", payloads.tool({ tool_response: { stdout } }));
    expect(house.events()[0]?.payload.tool_response).toEqual({ stdout: "before  after" });
  });

  it("is any part of a payload that cannot be used", () => {
    house.run("capture", '{"prompt": "half of a hidden-word');
    expect(house.log()).toHaveLength(1);
    expect(everything()).not.toContain("hidden-word");
  });
});

describe("the capture hook leaves at once", () => {
  const isUntouched = (): void => {
    expect(house.events()).toEqual([]);
    expect(house.log()).toEqual([]);
  };

  it.each(["THROUGHLINE_DISABLE", "THROUGHLINE_NESTED"])("when %s is set", (name) => {
    expect(house.run("capture", payloads.tool(), { [name]: "1" })).toEqual(quiet);
    expect(readdirSync(house.home.state)).toEqual([]);
  });

  it("from an event that the mod inside the agent has taken, and from no other session's", () => {
    const taken = { THROUGHLINE_TAKEN: "the-outer-session" };
    expect(house.run("capture", payloads.tool({ session_id: "the-outer-session" }), taken)).toEqual(quiet);
    isUntouched();
    house.run("capture", payloads.tool({ session_id: "a-session-inside-it" }), taken);
    expect(house.events()).toHaveLength(1);
  });

  it("while it is paused", () => {
    mkdirSync(house.home.state, { recursive: true });
    writeFileSync(pauseFile(house.home), "");
    expect(house.run("capture", payloads.tool())).toEqual(quiet);
    isUntouched();
  });

  it("while the runtime file says so", () => {
    house.writeRuntime({ paused: true });
    house.run("capture", payloads.tool());
    isUntouched();
  });

  it("in an excluded project, also when the agent has moved elsewhere or came by a link", () => {
    const real = path.join(house.folder, "secret-project");
    const link = path.join(house.folder, "link");
    mkdirSync(path.join(real, "src"), { recursive: true });
    symlinkSync(real, link);
    house.writeRuntime({ excluded: [real] });
    house.run("capture", payloads.tool({ cwd: path.join(real, "src") }));
    house.run("capture", payloads.tool({ cwd: link }));
    house.run("capture", payloads.tool({ cwd: "/tmp" }), { CLAUDE_PROJECT_DIR: real });
    isUntouched();
    house.run("capture", payloads.tool({ cwd: `${real}-other` }));
    expect(house.events()).toHaveLength(1);
  });
});

describe("whatever is wrong, the capture hook ends with 0, says nothing and logs one line", () => {
  it.each<[string, string | Uint8Array]>([
    ["empty", ""],
    ["not JSON", "hello"],
    ["cut off", JSON.stringify(payloads.tool()).slice(0, 100)],
    ["no object", "[1,2]"],
    ["null", "null"],
    ["bytes", Uint8Array.from({ length: 5_000 }, (_, at) => (at * 37) % 256)],
    ["of no session", JSON.stringify(payloads.tool({ session_id: undefined }))],
    ["of another event", JSON.stringify(payloads.tool({ hook_event_name: "Notification" }))],
    ["nested beyond reason", `{"a":${"[".repeat(200_000)}${"]".repeat(200_000)}}`],
  ])("with stdin %s", (_, input) => {
    expect(house.run("capture", input)).toEqual(quiet);
    expect(house.events()).toEqual([]);
    expect(house.log()).toHaveLength(1);
  });

  posix("with stdin closed", () => {
    const { status, stdout, stderr } = spawnSync(
      "sh",
      ["-c", `"$0" "$1" <&-`, process.execPath, hookFile("capture")],
      {
        env: house.environment(),
        encoding: "utf8",
      },
    );
    expect({ code: status, out: stdout, err: stderr }).toEqual(quiet);
    expect(house.log()).toHaveLength(1);
  });

  it("with a file where the spool should be", () => {
    mkdirSync(house.home.state, { recursive: true });
    writeFileSync(spoolFolder(house.home), "");
    expect(house.run("capture", payloads.tool())).toEqual(quiet);
    expect(house.log()).toEqual([expect.stringContaining("ENOTDIR")]);
  });

  asUser("with a spool that may not be written", () => {
    mkdirSync(spoolFolder(house.home), { recursive: true });
    chmodSync(spoolFolder(house.home), 0o500);
    expect(house.run("capture", payloads.tool())).toEqual(quiet);
    expect(house.log()).toEqual([expect.stringContaining("EACCES")]);
  });

  posix("with no room left for the event, and leaves no part of it", () => {
    // A file may have at most 512 or 1,024 bytes here, depending on the shell.
    const result = spawnSync("sh", ["-c", 'ulimit -f 1; "$0" "$1"', process.execPath, hookFile("capture")], {
      env: house.environment(),
      input: JSON.stringify(payloads.tool({ tool_response: "x".repeat(50_000) })),
      encoding: "utf8",
    });
    expect({ code: result.status, out: result.stdout, err: result.stderr }).toEqual(quiet);
    expect(readdirSync(spoolFolder(house.home))).toEqual([]);
    expect(house.log()).toEqual([expect.stringContaining("EFBIG")]);
  });
});

describe("where there is no place to log either, the capture hook is still quiet", () => {
  it("with a file where the home should be", () => {
    rmSync(path.join(house.folder, "home"), { recursive: true });
    writeFileSync(path.join(house.folder, "home"), "");
    expect(house.run("capture", payloads.tool())).toEqual(quiet);
  });

  it.each<[string, NodeJS.ProcessEnv]>([
    ["relative", { THROUGHLINE_HOME: "here" }],
    ["relative by HOME", { THROUGHLINE_HOME: undefined, HOME: "here" }],
    ["nowhere", { THROUGHLINE_HOME: "/proc/none/at/all", HOME: undefined }],
  ])("with a home that is %s, and writes nothing where it stands", (_, env) => {
    rmSync(path.join(house.folder, "home"), { recursive: true });
    expect(house.run("capture", payloads.tool(), env)).toEqual(quiet);
    expect(readdirSync(house.folder)).toEqual([]);
  });
});

describe("the hook log", () => {
  it("is turned over at a megabyte, and private", () => {
    mkdirSync(house.home.state, { recursive: true });
    writeFileSync(hookLog(house.home), "old\n".repeat(300_000));
    house.run("capture", "nonsense");
    house.run("capture", "nonsense");
    expect(house.log()).toHaveLength(2);
    expect(statSync(`${hookLog(house.home)}.1`).size).toBe(1_200_000);
    if (process.platform !== "win32") expect(statSync(hookLog(house.home)).mode & 0o777).toBe(0o600);
  });
});
