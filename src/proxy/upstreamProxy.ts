// The proxy that the user's own environment names for a host: HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY.
import type { Environment } from "../home/index.ts";
import { ThroughlineError } from "../lib/index.ts";

export interface Target {
  readonly host: string;
  readonly port: number;
}

/** The first of these variables that is set, in either case. */
export function variable(env: Environment, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = env[name.toLowerCase()] || env[name];
    if (value) return value;
  }
  return undefined;
}

export const listed = (list: string): string[] => list.split(/[\s,]+/).filter((entry) => entry !== "");

/** Whether an entry of NO_PROXY names the target: the host, a domain above it, `*`; with a port only that one. */
export function isExempt(entry: string, { host, port }: Target): boolean {
  if (entry === "*") return true;
  // An address of IPv6 has colons of its own.
  if (entry.replace(/^\[|\]$/g, "") === host) return true;
  const [, name = "", given] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
  if (given !== undefined && Number(given) !== port) return false;
  const domain = name.toLowerCase().replace(/^\*?\./, "");
  return domain !== "" && (host.toLowerCase() === domain || host.toLowerCase().endsWith(`.${domain}`));
}

/**
 * The proxy for a target, or undefined for a direct connection. Agents take the first of the three that is set, whatever
 * the scheme of the address is. Throws `config-invalid` for one that cannot be spoken to.
 */
export function proxyFor(target: Target, env: Environment): URL | undefined {
  const given = variable(env, "HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY");
  if (given === undefined) return undefined;
  if (listed(variable(env, "NO_PROXY") ?? "").some((entry) => isExempt(entry, target))) return undefined;
  const address = given.includes("://") ? given : `http://${given}`;
  if (/^https?:/i.test(address) && URL.canParse(address)) return new URL(address);
  throw new ThroughlineError(
    "config-invalid",
    "the proxy in HTTPS_PROXY is not an http:// or https:// address",
    "correct it, or unset it where it is not needed",
  );
}
