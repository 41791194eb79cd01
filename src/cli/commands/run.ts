// `throughline run`: a command whose conversations pass through a proxy of its own. `throughline proxy`: the same for any client.
import { usageError } from "../../lib/index.ts";
import { type ChildExit, exitAs, originalEnvironment, runChild } from "../../proxy/index.ts";
import { choice, defineCommand, integer, value } from "../command.ts";
import { API, startForChild, startStandalone } from "../startProxy.ts";
import { isInteractive, write } from "../terminal.ts";

/** A failure of the proxy must not end the session; it is told when the child has ended. */
function surviving() {
  let first: unknown;
  const note = (error: unknown) => {
    first ??= error;
  };
  process.on("uncaughtException", note);
  return () => {
    process.off("uncaughtException", note);
    return first === undefined ? [] : [`the proxy met an unexpected error: ${String(first)}`];
  };
}

const run = defineCommand({
  args: {
    via: choice(
      ["https-proxy", "base-url"],
      "how the command is led to the proxy (default: https-proxy; base-url where ANTHROPIC_BASE_URL is set)",
    ),
  },
  rest: "command",
  examples: {
    "throughline run claude": "Claude Code with the live window",
    "throughline run --via base-url claude": "without a certificate; what follows the command is its own",
    "throughline run -- node agent.mjs": "any program that speaks to the Anthropic API",
  },
  async run({ args, rest }) {
    const [command, ...given] = rest;
    if (command === undefined)
      throw usageError("run needs a command", "for example `throughline run claude`");
    const lines: string[] = [];
    const proxy = await startForChild(originalEnvironment(process.env), args.via, (line) => lines.push(line));
    const failures = surviving();
    let exit: ChildExit;
    try {
      exit = await runChild(command, given, proxy.env);
      if (exit.problem !== undefined) write(`throughline: ${exit.problem}\n`, "stderr");
    } finally {
      await proxy.close();
      for (const line of [...failures(), ...(isInteractive() ? lines : [])])
        write(`throughline: ${line}\n`, "stderr");
    }
    return { data: { command, ...exit }, text: "", exitCode: exitAs(exit) };
  },
});

const interrupted = () =>
  new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });

const proxy = defineCommand({
  args: {
    upstream: value("url", `where requests go (default: ${API})`),
    port: integer("number", "where it listens on 127.0.0.1 (default: a free one)"),
  },
  examples: {
    "throughline proxy --port 8788": "then start a client with ANTHROPIC_BASE_URL=http://127.0.0.1:8788",
    "throughline proxy --upstream https://gateway.example/anthropic": "in front of a gateway",
  },
  async run({ args: { upstream, port } }) {
    if (port !== undefined && port > 65_535) throw usageError(`--port must be at most 65535, not ${port}`);
    const say = (line: string) => write(`throughline: ${line}\n`, "stderr");
    const env = originalEnvironment(process.env);
    const { close, ...running } = await startStandalone({ env, upstream, port, say });
    say(`${running.url} carries requests to ${running.upstream}; set ANTHROPIC_BASE_URL to it`);
    await interrupted();
    await close();
    return { data: running, text: "" };
  },
});

export default { run, proxy };
