// `throughline run` as a shell sees it: arguments, exit codes and signals are the child's, and nothing is left behind.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, it } from "vitest";
import { cliFile, commandLine } from "../commandLine.ts";
import { until } from "../until.ts";
import { closeAll, closed, trusting } from "./setup.ts";
import { connectProxy, testIdentity, wireUpstream } from "./wire.ts";

afterEach(closeAll);

const cli = commandLine();
/** Everything passes unread, and no worker is started. */
const off = { THROUGHLINE_DISABLE: "1" };
const printing = (expression: string): string[] => [
  "node",
  "-e",
  `console.log(JSON.stringify(${expression}))`,
];

function start(args: readonly string[], env: Record<string, string> = {}): ChildProcess {
  const child = spawn(process.execPath, [cliFile, "run", ...args], {
    cwd: cli.folder,
    env: cli.environment({ ...off, ...env }),
    stdio: ["pipe", "pipe", "pipe"],
  });
  closed({ close: () => void child.kill("SIGKILL") });
  return child;
}

async function outcome(child: ChildProcess) {
  const [out, err, [code, signal]] = await Promise.all([
    child.stdout ? text(child.stdout) : "",
    child.stderr ? text(child.stderr) : "",
    once(child, "exit"),
  ]);
  return { out, err, code, signal };
}

describe("throughline run", () => {
  it("gives the command everything behind its name", async () => {
    const shown = ["sh", "-c", 'printf "%s\\n" "$@"', "sh"];
    const own = ["--help", "--json", "--via", "x", "--", "y"];
    const { out, code } = await outcome(start(["--via", "base-url", ...shown, ...own]));
    expect(out.trim().split("\n")).toEqual(own);
    expect(code).toBe(0);
  });

  it("ends with the code of the command", async () => {
    expect(await outcome(start(["--", "node", "-e", "process.exit(7)"]))).toMatchObject({
      code: 7,
      signal: null,
      err: "",
    });
  });

  it("ends by the signal that ended the command", async () => {
    const killed = await outcome(start(["node", "-e", "process.kill(process.pid, 'SIGKILL')"]));
    expect(killed).toMatchObject({ code: null, signal: "SIGKILL" });
    const terminated = await outcome(start(["node", "-e", "process.kill(process.pid, 'SIGTERM')"]));
    expect(terminated).toMatchObject({ code: null, signal: "SIGTERM" });
  });

  it.each(["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR2"] as const)(
    "passes %s on, and waits for the command",
    async (signal) => {
      const program = `process.on("${signal}", () => { console.log("got it"); process.exit(3); }); console.log("ready"); setInterval(() => 0, 1000)`;
      const child = start(["node", "-e", program]);
      let printed = "";
      child.stdout?.on("data", (chunk) => {
        printed += chunk;
      });
      await until(() => printed.includes("ready"), "the command to start");
      child.kill(signal);
      const [code] = await once(child, "exit");
      expect(printed).toContain("got it");
      expect(code).toBe(3);
    },
  );

  it("hands standard input on", async () => {
    const child = start(["node", "-e", "process.stdin.pipe(process.stdout)"]);
    child.stdin?.end("typed");
    expect((await outcome(child)).out).toBe("typed");
  });

  it("says when there is no such command", async () => {
    const { err, code } = await outcome(start(["no-such-command-here"]));
    expect(err).toContain("no-such-command-here was not found");
    expect(code).toBe(127);
  });

  it("needs a command, and an address that is one", async () => {
    expect(await outcome(start([]))).toMatchObject({ code: 2 });
    expect((await outcome(start(["node"], { ANTHROPIC_BASE_URL: "nonsense" }))).err).toContain(
      "ANTHROPIC_BASE_URL must be",
    );
    expect((await outcome(start(["node"], { HTTPS_PROXY: "socks5://x:1" }))).err).toContain("HTTPS_PROXY");
  });

  it("sets the variables of the command alone, and leaves no file behind", async () => {
    const names = ["HTTPS_PROXY", "NODE_EXTRA_CA_CERTS", "ANTHROPIC_BASE_URL", "THROUGHLINE_LIVE"];
    const own = closed(await connectProxy({}));
    const file = trusting(testIdentity("own.example").authority).NODE_EXTRA_CA_CERTS ?? "";
    const program = `({ env: ${JSON.stringify(names)}.map((n) => process.env[n] ?? null), pem: require("fs").readFileSync(process.env.NODE_EXTRA_CA_CERTS, "utf8") })`;
    const { out } = await outcome(
      start(printing(program), { NODE_EXTRA_CA_CERTS: file, HTTPS_PROXY: own.url }),
    );
    const { env, pem } = JSON.parse(out);
    expect(env[0]).toMatch(/^http:\/\/throughline:[0-9a-f]{32}@127\.0\.0\.1:\d+$/);
    expect(env[1]).not.toBe(file);
    expect(env.slice(2)).toEqual([null, "proxy"]);
    expect(pem).toContain(readFileSync(file, "utf8").trim());
    expect(pem).not.toContain("PRIVATE KEY");
    expect(pem.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
    expect(readdirSync(path.join(cli.home.state, "proxy"))).toEqual([]);
  });

  it("leads a program to the API, and keeps neither its key nor its own on the disk", async () => {
    const identity = testIdentity("api.anthropic.com");
    const answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";
    const upstream = closed(await wireUpstream(({ socket }) => void socket.end(answer), identity));
    const company = closed(await connectProxy({ "api.anthropic.com:443": upstream.port }));
    const args = [
      "-sS",
      "-H",
      "x-api-key: sk-ant-canary",
      "-d",
      "{}",
      "https://api.anthropic.com/v1/messages",
    ];
    const env = { ...trusting(identity.authority), HTTPS_PROXY: company.url };
    const { out, err } = await outcome(
      start(["sh", "-c", `exec curl --cacert "$NODE_EXTRA_CA_CERTS" "$@"`, "sh", ...args], env),
    );
    expect(err).toBe("");
    expect(out).toBe("ok");
    expect(upstream.connections[0]?.bytes().toString()).toContain("x-api-key: sk-ant-canary");
    const files = readdirSync(cli.homeFolder, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    const kept = files
      .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), "latin1"))
      .join("");
    expect(kept).not.toMatch(/sk-ant-canary|PRIVATE KEY/);
  });

  it("inside a run has a proxy of its own, before the same upstream", async () => {
    const own = closed(await connectProxy({}));
    const inner = [
      process.execPath,
      cliFile,
      "run",
      ...printing("[process.env.HTTPS_PROXY, process.env.THROUGHLINE_RUN_ORIGINAL]"),
    ];
    const { out } = await outcome(start(inner, { HTTPS_PROXY: own.url }));
    const [url, original] = JSON.parse(out);
    expect(url).toMatch(/^http:\/\/throughline:/);
    expect(JSON.parse(original).HTTPS_PROXY).toBe(own.url);
  });
});

describe("throughline proxy", () => {
  it("carries requests to the upstream below its path until it is interrupted", async () => {
    const upstream = closed(
      await wireUpstream(({ socket }) => void socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")),
    );
    const child = spawn(
      process.execPath,
      [cliFile, "proxy", "--upstream", `http://127.0.0.1:${upstream.port}/gateway/`],
      {
        env: cli.environment(off),
        stdio: ["ignore", "ignore", "pipe"],
      },
    );
    closed({ close: () => void child.kill("SIGKILL") });
    let said = "";
    child.stderr?.on("data", (chunk) => {
      said += chunk;
    });
    const url = await until(() => /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0], "the address");
    const response = await fetch(`${url}/v1/messages?beta=true`, { method: "POST", body: "{}" });
    expect(await response.text()).toBe("ok");
    expect(upstream.connections[0]?.bytes().toString()).toMatch(
      /^POST \/gateway\/v1\/messages\?beta=true HTTP\/1\.1\r\n/,
    );
    child.kill("SIGINT");
    expect(await once(child, "exit")).toEqual([0, null]);
  });
});
