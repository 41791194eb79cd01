// The variables with which a child speaks through the proxy, and those that it would have had without.
import type { Environment } from "../../home/index.ts";
import { isObject, parseJson } from "../../lib/index.ts";
import { isExempt, listed, type Target, variable } from "../upstreamProxy.ts";

/** Says what the variables were before: a `run` inside a `run` starts from those. */
const ORIGINAL = "THROUGHLINE_RUN_ORIGINAL";

const changed = [
  "HTTPS_PROXY",
  "https_proxy",
  "NO_PROXY",
  "no_proxy",
  "NODE_EXTRA_CA_CERTS",
  "ANTHROPIC_BASE_URL",
];

/** What no child may send through a proxy of another machine. */
const local = ["localhost", "127.0.0.1", "::1"];

/** The environment without what a `run` around this one has set. */
export function originalEnvironment(env: Environment): Environment {
  const original = parseJson(env[ORIGINAL] ?? "");
  if (!isObject(original)) return env;
  const restored: Record<string, string | undefined> = { ...env, [ORIGINAL]: undefined };
  for (const name of changed) {
    const value = original[name];
    restored[name] = typeof value === "string" ? value : undefined;
  }
  return restored;
}

function withOriginal(env: Environment, more: Environment): Environment {
  const original = Object.fromEntries(
    changed.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
  return { ...env, ...more, [ORIGINAL]: JSON.stringify(original) };
}

const bothCases = (name: string, value: string | undefined): Environment => ({
  [name]: value,
  [name.toLowerCase()]: value,
});

const hasProxy = (env: Environment) => variable(env, "HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY") !== undefined;
const exemptions = (env: Environment) => listed(variable(env, "NO_PROXY") ?? "");

/**
 * For a child that speaks through an HTTPS proxy. An exemption of the host is taken back, since the proxy itself keeps to
 * it. Without a proxy of the user's own, addresses of this machine are spoken to directly, as before.
 */
export function httpsProxyEnvironment(
  env: Environment,
  host: Target,
  given: { readonly url: string; readonly authorityFile: string },
): Environment {
  const kept = exemptions(env).filter((entry) => !isExempt(entry, host));
  const exempt = hasProxy(env) ? kept : [...new Set([...kept, ...local])];
  return withOriginal(env, {
    ...bothCases("HTTPS_PROXY", given.url),
    ...bothCases("NO_PROXY", exempt.length === 0 ? undefined : exempt.join(",")),
    NODE_EXTRA_CA_CERTS: given.authorityFile,
  });
}

/** For a child that speaks to a base URL on this machine. */
export function baseUrlEnvironment(env: Environment, url: string): Environment {
  const exempt = [...new Set([...exemptions(env), "127.0.0.1"])].join(",");
  return withOriginal(env, {
    ANTHROPIC_BASE_URL: url,
    ...(hasProxy(env) ? bothCases("NO_PROXY", exempt) : {}),
  });
}
