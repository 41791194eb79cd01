// Checks whether a provider can be reached, by its list of models or its version. Sends no user data.
import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import type { Environment } from "../home/index.ts";
import { errorText } from "../lib/index.ts";
import type { ModelSettings } from "./createModel.ts";
import { defaults, withCause } from "./model.ts";

type Probed = Pick<ModelSettings, "provider" | "baseUrl" | "apiKeyEnv" | "command">;

/** What is wrong and how to fix it; undefined when the provider answers or none is set. Never rejects. */
export async function probeProvider(settings: Probed, env: Environment, withinMs: number) {
  const { provider } = settings;
  if (provider === "none") return undefined;
  if (provider === "claude-cli") return probeProgram(settings.command || defaults.command, env, withinMs);
  const url = (settings.baseUrl || defaults[provider].url).replace(/\/+$/, "");
  const keyName = settings.apiKeyEnv || defaults[provider].key;
  const key = env[keyName];
  if (provider === "anthropic" && !key)
    return {
      what: `${keyName} is not set`,
      fix: `export ${keyName}, or name another variable with llm.apiKeyEnv`,
    };
  const address = provider === "anthropic" ? `${url}/v1/models?limit=1` : `${url}/models`;
  try {
    const { status } = await fetch(address, {
      headers: headersFor(provider, key),
      redirect: "manual",
      signal: AbortSignal.timeout(withinMs),
    });
    if (status === 401 || status === 403)
      return { what: `${url} rejects the key in ${keyName} (${status})`, fix: `check ${keyName}` };
    // Other codes are fine: a server may have no list of models.
    return status >= 500
      ? { what: `${url} answers with ${status}`, fix: "try again later, or check the server" }
      : undefined;
  } catch (error) {
    return {
      what: `${url} does not answer: ${withCause(error)}`,
      fix: "check llm.baseUrl, and that the server runs",
    };
  }
}

function headersFor(provider: Probed["provider"], key: string | undefined): Record<string, string> {
  if (!key) return {};
  if (provider === "anthropic") return { "x-api-key": key, "anthropic-version": "2023-06-01" };
  return { authorization: `Bearer ${key}` };
}

function probeProgram(command: string, env: Environment, withinMs: number) {
  return new Promise<{ what: string; fix: string } | undefined>((resolve) => {
    const options = { cwd: tmpdir(), env: { ...env, THROUGHLINE_NESTED: "1" }, timeout: withinMs };
    execFile(command, ["--version"], options, (error) => {
      const what = `${command} --version does not run: ${errorText(error)}`;
      resolve(error === null ? undefined : { what, fix: "check llm.command, and that it is on the PATH" });
    });
  });
}
