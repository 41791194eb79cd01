// `throughline run`: a command whose conversations pass through a proxy of its own. `throughline proxy`: the same for any client.
import path from "node:path";
import { removeFile, ThroughlineError } from "../../lib/index.ts";
import {
  baseUrlEnvironment,
  type ChildExit,
  exitAs,
  httpsProxyEnvironment,
  originalEnvironment,
  runChild,
  startBaseUrlProxy,
  startHttpsProxy,
  writeAuthorityFile,
} from "../../proxy/index.ts";
import { choice, defineCommand, integer, value } from "../command.ts";
import { commandContext } from "../context.ts";
import { write } from "../terminal.ts";

const HOST = "api.anthropic.com";
const API = `https://${HOST}`;

type Environment = Readonly<Record<string, string | undefined>>;

function upstreamUrl(text: string, origin: string) {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return new URL(text);
  throw new ThroughlineError("usage", `${origin} must be an http:// or https:// address, not ${text}`);
}

interface Prepared {
  readonly env: Environment;
  close(): Promise<void>;
}

async function byBaseUrl(env: Environment): Promise<Prepared> {
  const upstream = upstreamUrl(env.ANTHROPIC_BASE_URL || API, "ANTHROPIC_BASE_URL");
  const proxy = await startBaseUrlProxy(upstream, { env });
  return { env: baseUrlEnvironment(env, `http://127.0.0.1:${proxy.port}`), close: () => proxy.close() };
}

async function byHttpsProxy(env: Environment, folder: string): Promise<Prepared> {
  const proxy = await startHttpsProxy({ host: HOST, env });
  const authorityFile = writeAuthorityFile(folder, proxy.authority, env.NODE_EXTRA_CA_CERTS);
  return {
    env: httpsProxyEnvironment(env, { host: HOST, port: 443 }, { url: proxy.url, authorityFile }),
    async close() {
      removeFile(authorityFile);
      await proxy.close();
    },
  };
}

/** A failure of the proxy must not end the session; it is told when the child has ended. */
function surviving() {
  let first: unknown;
  const note = (error: unknown) => {
    first ??= error;
  };
  process.on("uncaughtException", note);
  return () => {
    process.off("uncaughtException", note);
    if (first !== undefined)
      write(`throughline: the proxy met an unexpected error: ${String(first)}\n`, "stderr");
  };
}

const run = defineCommand({
  args: {
    via: choice(
      ["https-proxy", "base-url"],
      "how the command is led to the proxy; base-url where ANTHROPIC_BASE_URL is set",
    ),
  },
  rest: "command",
  examples: {
    "throughline run claude": "Claude Code with the live window",
    "throughline run claude -p 'fix the build' --model opus": "everything behind the command is its own",
    "throughline run -- node agent.mjs": "any program that speaks to the Anthropic API",
  },
  async run({ args, rest }) {
    const [command, ...given] = rest;
    if (command === undefined)
      throw new ThroughlineError("usage", "run needs a command", "for example `throughline run claude`");
    const { home } = commandContext();
    const env = originalEnvironment(process.env);
    const isByBaseUrl = args.via === "base-url" || Boolean(env.ANTHROPIC_BASE_URL);
    const proxy = await (isByBaseUrl ? byBaseUrl(env) : byHttpsProxy(env, path.join(home.state, "proxy")));
    const tellFailures = surviving();
    let exit: ChildExit;
    try {
      exit = await runChild(command, given, proxy.env);
    } finally {
      await proxy.close();
      tellFailures();
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
  async run({ args }) {
    const env = originalEnvironment(process.env);
    const upstream = upstreamUrl(args.upstream ?? API, "--upstream");
    const running = await startBaseUrlProxy(upstream, { env, port: args.port ?? 0 });
    const url = `http://127.0.0.1:${running.port}`;
    write(
      `${url} carries requests to ${upstream.href}\nset ANTHROPIC_BASE_URL=${url} for the client\n`,
      "stderr",
    );
    await interrupted();
    await running.close();
    return { data: { url, upstream: upstream.href }, text: "" };
  },
});

export default { run, proxy };
