// Hooks for the Agent SDK: the same programs that Claude Code runs at its events, called for the callbacks of `query()`.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { hookTable } from "../install/index.ts";
import { isObject, notFoundError, parseJson, SECOND } from "../lib/index.ts";
import { type ArchiveOnCompactOptions, archiveOnCompact } from "./archiveOnCompact.ts";

/** Options of `agentHooks`. */
export interface AgentHooksOptions {
  /** How the conversation is archived before it is compacted. `false` leaves that to the worker's own settings. */
  readonly archive?: ArchiveOnCompactOptions | false;
  /** Variables beside those of this process, such as THROUGHLINE_HOME. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Called with the error when a hook could not run; the agent does not see it. */
  readonly onError?: (error: unknown) => void;
}

/** What a hook gives back to the Agent SDK: nothing, or text for the model. */
export interface AgentHookOutput {
  readonly systemMessage?: string;
  readonly hookSpecificOutput?: AgentHookContext;
}

/** Text that the model gets at the start of a session or with a prompt. */
export type AgentHookContext =
  | { readonly hookEventName: "SessionStart"; readonly additionalContext?: string }
  | { readonly hookEventName: "UserPromptSubmit"; readonly additionalContext?: string };

/** A callback of the Agent SDK. */
export type AgentHookCallback = (
  input: unknown,
  toolUseId?: string,
  context?: { readonly signal?: AbortSignal },
) => Promise<AgentHookOutput>;

/** Callbacks of one event. */
export interface AgentHookGroup {
  readonly hooks: AgentHookCallback[];
  /** Seconds. */
  readonly timeout: number;
}

/** Fits `options.hooks` of `query()`. */
export interface AgentHooks {
  readonly SessionStart: AgentHookGroup[];
  readonly UserPromptSubmit: AgentHookGroup[];
  readonly PostToolUse: AgentHookGroup[];
  readonly PostToolUseFailure: AgentHookGroup[];
  readonly Stop: AgentHookGroup[];
  readonly SubagentStop: AgentHookGroup[];
  readonly PreCompact: AgentHookGroup[];
  readonly PostCompact: AgentHookGroup[];
  readonly SessionEnd: AgentHookGroup[];
}

/**
 * A session gets its context at the start and after a compaction, what happens in it is captured, and it is archived
 * before it is compacted. No callback rejects. An agent that loads installed hooks too loses nothing by it: an event has the
 * same id both times and is stored once.
 */
export function agentHooks(options: AgentHooksOptions = {}): AgentHooks {
  const folder = hooksFolder();
  const { archive = {} } = options;
  const groups = hookTable.map(({ event, bundle, timeout, async }): [string, AgentHookGroup[]] => {
    const file = path.join(folder, `${bundle}.cjs`);
    const run: AgentHookCallback = async (input) => {
      const answer = runHook(file, input, timeout * SECOND, options);
      return async ? {} : await answer;
    };
    const archives = event === "PreCompact" && archive !== false ? [archiveOnCompact(archive)] : [];
    return [event, [{ hooks: [...archives, run], timeout }]];
  });
  return Object.fromEntries(groups) as unknown as AgentHooks;
}

/** Never rejects. */
function runHook(file: string, input: unknown, timeout: number, { env, onError }: AgentHooksOptions) {
  const cwd = isObject(input) && typeof input.cwd === "string" ? { CLAUDE_PROJECT_DIR: input.cwd } : {};
  return new Promise<AgentHookOutput>((resolve) => {
    const child = execFile(
      process.execPath,
      [file],
      { timeout, env: { ...process.env, ...cwd, ...env } },
      (error, output) => {
        if (error) report(onError, error);
        const answer = parseJson(output);
        resolve(isObject(answer) ? (answer as AgentHookOutput) : {});
      },
    );
    // A hook that has exited does not read on.
    child.stdin?.on("error", (error) => report(onError, error));
    child.stdin?.end(JSON.stringify(input));
  });
}

function report(onError: AgentHooksOptions["onError"], error: unknown) {
  try {
    onError?.(error);
  } catch {
    // A listener that throws must not make the callback throw.
    return;
  }
}

/** The folder of the hooks in the package that this file is part of. */
function hooksFolder() {
  for (let folder = path.dirname(fileURLToPath(import.meta.url)); ; folder = path.dirname(folder)) {
    for (const found of [path.join(folder, "hooks"), path.join(folder, "dist", "hooks")])
      if (existsSync(path.join(found, "capture.cjs"))) return found;
    if (path.dirname(folder) === folder)
      throw notFoundError(
        "the hooks of this package are not there",
        "install it again, or run npm run build",
      );
  }
}
