// What is installed into Codex CLI: hooks in hooks.json, the MCP server in config.toml, and, if the user says so, their trust.
import { existsSync, realpathSync } from "node:fs";
import path from "node:path";
import {
  type FileEdit,
  type HookGroups,
  openSettings,
  ownCommands,
  type Plan,
  planInstall,
  planTables,
  readSettings,
  type TomlTable,
  tomlString,
  tomlTable,
} from "../../install/index.ts";
import { defined, errorText, isObject, sha256, statIfThere, ThroughlineError } from "../../lib/index.ts";
import type { AgentPlace, AgentRequest, AgentState } from "../adapter.ts";

export const CODEX = "codex";

interface CodexHook {
  readonly event: string;
  readonly bundle: "capture" | "answer" | "precompact";
  /** Seconds; Codex allows the end of a session 3. */
  readonly timeout: number;
  readonly matcher?: string;
  /** Its output goes into the window: never into a file, of which the model would see the beginning. */
  readonly speaks?: true;
}

const codexHooks: readonly CodexHook[] = [
  { event: "SessionStart", bundle: "answer", timeout: 5, speaks: true },
  { event: "UserPromptSubmit", bundle: "answer", timeout: 5, speaks: true },
  { event: "PostToolUse", bundle: "capture", timeout: 10, matcher: "*" },
  { event: "Stop", bundle: "capture", timeout: 10 },
  { event: "PreCompact", bundle: "precompact", timeout: 10 },
  { event: "PostCompact", bundle: "capture", timeout: 10 },
  { event: "SessionEnd", bundle: "capture", timeout: 3 },
];

/** `~/.codex`, or what CODEX_HOME names. Codex resolves the links of the latter, and keys of trust hold that path. */
function codexFolder({ env, homeFolder }: AgentPlace) {
  if (!env.CODEX_HOME) return path.join(homeFolder, ".codex");
  return statIfThere(env.CODEX_HOME) === undefined
    ? path.resolve(env.CODEX_HOME)
    : realpathSync(env.CODEX_HOME);
}

const hooksFile = (place: AgentPlace) => path.join(codexFolder(place), "hooks.json");
const configFile = (place: AgentPlace) => path.join(codexFolder(place), "config.toml");

/** One line, which Codex hands to a shell. */
function commandLine({ program, homeVariable }: AgentRequest, bundle: CodexHook["bundle"]) {
  const words = [
    program.node,
    program.bundleFile(bundle),
    ...(homeVariable === undefined ? [] : [homeVariable]),
  ];
  const unsafe = words.find((word) => /["$`\\]/.test(word) && process.platform !== "win32");
  if (unsafe !== undefined) {
    throw new ThroughlineError(
      "usage",
      `Codex runs hooks in a shell, and ${unsafe} holds a character that a shell would read`,
      "move that folder to a path without quotes, dollar signs and backslashes",
    );
  }
  const [node, file, home] = words;
  return `"${node}" "${file}" ${CODEX}${home === undefined ? "" : ` "${home}"`}`;
}

const groupsFor = (request: AgentRequest): HookGroups =>
  new Map(
    codexHooks.map(({ event, bundle, timeout, matcher, speaks }) => {
      const command = commandLine(request, bundle);
      const hook = { type: "command", command, timeout, ...(speaks && { additionalContextLimit: 0 }) };
      return [event, defined({ matcher, hooks: [hook] })];
    }),
  );

const snakeCase = (event: string) => event.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toLowerCase();

function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, sortedKeys(value[name])]),
  );
}

/** Codex's hash of a hook: of its event, matcher and handler with defaults filled in, as JSON with sorted keys. */
function trustHash(event: string, matcher: unknown, handler: object) {
  const identity = { event_name: snakeCase(event), matcher, hooks: [{ async: false, ...handler }] };
  return `sha256:${sha256(JSON.stringify(sortedKeys(defined(identity))))}`;
}

interface TrustEntry {
  readonly path: readonly string[];
  readonly line: string;
}

/** The entry of config.toml by which Codex trusts each of our hooks in a text of hooks.json. */
function trustEntries(text: string, file: string): TrustEntry[] {
  const reading = readSettings(text);
  if (!reading.ok) return [];
  const { hooks } = reading.value;
  return ownCommands(reading.value).map(({ event, group, index, command }) => {
    const groups = isObject(hooks) ? hooks[event] : undefined;
    const holder: unknown = Array.isArray(groups) ? groups[group] : undefined;
    const matcher = isObject(holder) ? holder.matcher : undefined;
    return {
      path: ["hooks", "state", `${file}:${snakeCase(event)}:${group}:${index}`],
      line: `trusted_hash = ${tomlString(trustHash(event, matcher, command))}`,
    };
  });
}

const SERVER = ["mcp_servers", "throughline"];

function serverTable({ server: { node, cli, env } }: AgentRequest): TomlTable {
  const variables = Object.entries(env).map(([name, value]) => `${name} = ${tomlString(value)}`);
  return {
    path: SERVER,
    lines: [
      `command = ${tomlString(node)}`,
      `args = [${[cli, "mcp"].map(tomlString).join(", ")}]`,
      ...(variables.length === 0 ? [] : [`env = { ${variables.join(", ")} }`]),
    ],
  };
}

const isOwnTable = (body: string | undefined) =>
  body !== undefined && /^args\s*=.*dist(?:[\\/]|\\\\)cli\.js",\s*"mcp"\]/m.test(body);

const modes = { fileMode: 0o600, folderMode: 0o700 };

export function codexEdits(request: AgentRequest): FileEdit[] {
  const [hooks, config] = [hooksFile(request), configFile(request)];
  const planHooks = (text: string): Plan => planInstall(text, hooks, { groups: groupsFor(request), env: {} });
  const trusted = request.trust ? trustEntries(planHooks(openSettings(hooks, 0o600).text).after, hooks) : [];
  const server = tomlTable(openSettings(config, 0o600).text, SERVER);
  const isForeign = server !== undefined && !isOwnTable(server);
  return [
    { agent: CODEX, lane: "hooks", place: { file: hooks, ...modes }, plan: planHooks },
    {
      agent: CODEX,
      lane: "mcp",
      place: { file: config, ...modes },
      plan: (text) =>
        planTables(text, config, [
          ...(isForeign ? [] : [serverTable(request)]),
          ...trusted.map(({ path: at, line }) => ({ path: at, lines: [line] })),
        ]),
      ...(isForeign && { notes: [`${config} has another server named throughline, which stays`] }),
    },
  ];
}

export function codexState(place: AgentPlace): AgentState {
  const isThere = existsSync(codexFolder(place));
  const none = { name: CODEX, isThere, hooks: 0, trusted: 0, server: false };
  try {
    const config = openSettings(configFile(place), 0o600).text;
    const entries = trustEntries(openSettings(hooksFile(place), 0o600).text, hooksFile(place));
    const isTrusted = ({ path: at, line }: TrustEntry) => tomlTable(config, at)?.includes(line) === true;
    return {
      ...none,
      hooks: entries.length,
      trusted: entries.filter(isTrusted).length,
      server: isOwnTable(tomlTable(config, SERVER)),
    };
  } catch (error) {
    return { ...none, problem: errorText(error) };
  }
}

export const codexSessions = (place: AgentPlace) => [path.join(codexFolder(place), "sessions")];
