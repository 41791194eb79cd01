// The proxy of a command: its engine, the way in, and the variables for the child.
import path from "node:path";
import { type Environment, workerSocket } from "../home/index.ts";
import { startWorker } from "../ipc/index.ts";
import { removeFile, usageError } from "../lib/index.ts";
import {
  baseUrlEnvironment,
  httpsProxyEnvironment,
  liveEngine,
  startBaseUrlProxy,
  startHttpsProxy,
  type WindowEngine,
  workerSeam,
  writeAuthorityFile,
} from "../proxy/index.ts";
import { commandContext } from "./context.ts";
import { workerProgram } from "./package.ts";
import { isWorkerAbsent } from "./runningWorker.ts";

const HOST = "api.anthropic.com";
export const API = `https://${HOST}`;

/** Edits conversations unless Throughline is switched off for this process; then everything passes unread. */
function engineFor(env: Environment, say: (line: string) => void): { readonly engine?: WindowEngine } {
  if (env.THROUGHLINE_DISABLE || env.THROUGHLINE_NESTED) return {};
  const { home, cwd } = commandContext();
  const socket = workerSocket(home);
  const start = () => void startWorker(workerProgram(), env);
  const seam = workerSeam({ home, socket, start, say, isOff: env.THROUGHLINE_LIVE === "off" });
  return { engine: liveEngine({ seam, project: cwd, env }) };
}

/** Meanwhile the child starts; its first request finds a worker. */
async function startWorkerAhead(env: Environment) {
  if (env.THROUGHLINE_DISABLE || env.THROUGHLINE_NESTED) return;
  if (await isWorkerAbsent(workerSocket(commandContext().home))) startWorker(workerProgram(), env);
}

function upstreamUrl(text: string, origin: string) {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return new URL(text);
  throw usageError(`${origin} must be an http:// or https:// address, not ${text}`);
}

interface StandaloneOptions {
  readonly env: Environment;
  readonly upstream: string | undefined;
  readonly port: number | undefined;
  say(line: string): void;
}

/** A base URL for a client that is started elsewhere. Throws `usage` for an upstream that is no address. */
export async function startStandalone({ env, upstream = API, port = 0, say }: StandaloneOptions) {
  const to = upstreamUrl(upstream, "--upstream");
  const { port: chosen, close } = await startBaseUrlProxy(to, { env, port, ...engineFor(env, say) });
  void startWorkerAhead(env);
  return { url: `http://127.0.0.1:${chosen}`, upstream: to.href, close };
}

/** For one child: the variables that lead it to the proxy. `via` gives way to a base URL that is set already. */
export async function startForChild(
  env: Environment,
  via: "https-proxy" | "base-url" | undefined,
  say: (line: string) => void,
) {
  const live = { THROUGHLINE_LIVE: "proxy" };
  if (via === "base-url" || env.ANTHROPIC_BASE_URL) {
    const upstream = upstreamUrl(env.ANTHROPIC_BASE_URL || API, "ANTHROPIC_BASE_URL");
    const { port, close } = await startBaseUrlProxy(upstream, { env, ...engineFor(env, say) });
    void startWorkerAhead(env);
    return { env: { ...baseUrlEnvironment(env, `http://127.0.0.1:${port}`), ...live }, close };
  }
  const { url, authority, close } = await startHttpsProxy({ host: HOST, env, ...engineFor(env, say) });
  void startWorkerAhead(env);
  const folder = path.join(commandContext().home.state, "proxy");
  const authorityFile = writeAuthorityFile(folder, authority, env.NODE_EXTRA_CA_CERTS);
  return {
    env: { ...httpsProxyEnvironment(env, { host: HOST, port: 443 }, { url, authorityFile }), ...live },
    close() {
      removeFile(authorityFile);
      return close();
    },
  };
}
