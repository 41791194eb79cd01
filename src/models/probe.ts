// Whether a provider can be reached: its list of models, or its version. Nothing that anybody wrote is sent.
import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import type { Environment } from "../home/index.ts";
import { errorText } from "../lib/index.ts";
import type { ModelSettings } from "./createModel.ts";
import { USUAL_COMMAND, usual } from "./model.ts";

interface Unreachable {
  readonly what: string;
  readonly fix: string;
}

type Probed = Pick<ModelSettings, "provider" | "baseUrl" | "apiKeyEnv" | "command">;

/** Undefined when it answers, and where no provider is set. Never rejects. */
export async function probeProvider(
  settings: Probed,
  env: Environment,
  withinMs: number,
): Promise<Unreachable | undefined> {
  const { provider } = settings;
  if (provider === "none") return undefined;
  if (provider === "claude-cli") return probeProgram(settings.command || USUAL_COMMAND, env, withinMs);
  const place = (settings.baseUrl || usual[provider].place).replace(/\/+$/, "");
  const keyName = settings.apiKeyEnv || usual[provider].key;
  const key = env[keyName];
  if (provider === "anthropic" && !key)
    return {
      what: `${keyName} is not set`,
      fix: `export ${keyName}, or name another variable with llm.apiKeyEnv`,
    };
  const address = provider === "anthropic" ? `${place}/v1/models?limit=1` : `${place}/models`;
  try {
    const { status } = await fetch(address, {
      headers: headersFor(provider, key),
      redirect: "manual",
      signal: AbortSignal.timeout(withinMs),
    });
    if (status === 401 || status === 403)
      return { what: `${place} refuses the key of ${keyName} (${status})`, fix: `check ${keyName}` };
    // A server may have no list of models; that it says so is an answer.
    return status >= 500
      ? { what: `${place} answers with ${status}`, fix: "try again later, or check the server" }
      : undefined;
  } catch (error) {
    return {
      what: `${place} does not answer: ${reasonOf(error)}`,
      fix: "check llm.baseUrl, and that it runs",
    };
  }
}

function headersFor(provider: Probed["provider"], key: string | undefined): Record<string, string> {
  if (!key) return {};
  if (provider === "anthropic") return { "x-api-key": key, "anthropic-version": "2023-06-01" };
  return { authorization: `Bearer ${key}` };
}

/** Fetch says only that it failed; the reason is behind it. */
function reasonOf(error: unknown) {
  return error instanceof Error && error.cause !== undefined ? errorText(error.cause) : errorText(error);
}

function probeProgram(command: string, env: Environment, withinMs: number): Promise<Unreachable | undefined> {
  return new Promise((resolve) => {
    const options = { cwd: tmpdir(), env: { ...env, THROUGHLINE_NESTED: "1" }, timeout: withinMs };
    execFile(command, ["--version"], options, (error) => {
      const what = `${command} --version does not run: ${errorText(error)}`;
      resolve(error === null ? undefined : { what, fix: "check llm.command, and that it is on the PATH" });
    });
  });
}
