// Which program handles which event of Claude Code, and how our entries are told from all others.
import path from "node:path";
import { defined, isObject, type JsonObject } from "../lib/index.ts";

export const bundles = ["capture", "answer", "precompact"] as const;

type Bundle = (typeof bundles)[number];

interface HookRule {
  readonly event: string;
  readonly bundle: Bundle;
  /** Seconds after which Claude Code continues without it. */
  readonly timeout: number;
  /** The user does not wait. Only where nothing is lost if the agent exits first: the worker reads the transcript. */
  readonly async?: true;
  /** Matches tools by name, and compactions by what caused them. */
  readonly matcher?: string;
}

/**
 * Stop and SessionEnd are synchronous: `claude -p` kills asynchronous hooks when it exits. Below the
 * user's own `/compact` Claude Code prints the command of every hook around it, and all it said: that compaction is noticed at the
 * start that follows it, when the transcript still ends as before.
 */
export const hookTable: readonly HookRule[] = [
  { event: "SessionStart", bundle: "answer", timeout: 5 },
  { event: "UserPromptSubmit", bundle: "answer", timeout: 5 },
  { event: "PostToolUse", bundle: "capture", timeout: 10, async: true, matcher: "*" },
  { event: "PostToolUseFailure", bundle: "capture", timeout: 10, async: true, matcher: "*" },
  { event: "Stop", bundle: "capture", timeout: 10 },
  { event: "SubagentStop", bundle: "capture", timeout: 10 },
  { event: "PreCompact", bundle: "precompact", timeout: 10, matcher: "auto" },
  { event: "PostCompact", bundle: "capture", timeout: 10, matcher: "auto" },
  { event: "SessionEnd", bundle: "capture", timeout: 10 },
];

export type HookGroups = ReturnType<typeof hookGroups>;

export interface HookProgram {
  /** The Node that runs the bundles. */
  readonly node: string;
  /** The file of a bundle. */
  readonly bundleFile: (bundle: Bundle) => string;
  /** Tool results are answered, not only captured: the call waits for the hook. */
  readonly answersTools?: boolean;
  /** The shell that checks first whether a mod has captured the event, so that no Node starts then. */
  readonly shell?: string;
}

/**
 * A mod has captured the event if both variables are equal and not empty. `src/hooks` checks the payload in the same way, and
 * handles every other case. Standard input is read either way.
 */
const unlessTaken =
  'if [ -n "$THROUGHLINE_TAKEN" ] && [ "$THROUGHLINE_TAKEN" = "$CLAUDE_CODE_SESSION_ID" ]; then exec cat >/dev/null; fi; exec "$0" "$1"';

/** The rule of an event when tool results are answered too. */
const answeringRule = (rule: HookRule): HookRule => {
  if (rule.event !== "PostToolUse") return rule;
  const { async: _waited, ...rest } = rule;
  return { ...rest, bundle: "answer" };
};

/** The groups that we want in a settings file, by event. Commands are in exec form: nothing is quoted or needs PATH. */
export function hookGroups({ node, bundleFile, answersTools = false, shell }: HookProgram) {
  const groupFor = ({ event, bundle, timeout, async, matcher }: HookRule) => {
    const file = bundleFile(bundle);
    const run =
      shell === undefined
        ? { command: node, args: [file] }
        : { command: shell, args: ["-c", unlessTaken, node, file] };
    const hooks = [defined({ type: "command", ...run, timeout, async })];
    return [event, defined({ matcher, hooks })] as const;
  };
  return new Map((answersTools ? hookTable.map(answeringRule) : hookTable).map(groupFor));
}

/** The program of an installed package: this Node by its full path, so that nothing has to be on PATH. */
export function installedProgram(node: string, packageFolder: string): HookProgram {
  return {
    node,
    bundleFile: (bundle) => path.join(packageFolder, "dist", "hooks", `${bundle}.cjs`),
  };
}

/** The plugin's own hooks file. Claude Code says where the plugin is; only `node` must be on PATH. */
export function pluginHooks(): JsonObject {
  const groups = hookGroups({
    node: "node",
    bundleFile: (bundle) => `\${CLAUDE_PLUGIN_ROOT}/hooks/${bundle}.cjs`,
  });
  return {
    description: "Keeps every prompt, tool call and ending for Throughline.",
    hooks: Object.fromEntries([...groups].map(([event, group]) => [event, [group]])),
  };
}

const ownBundle = new RegExp(`(^|[\\\\/])dist[\\\\/]hooks[\\\\/](${bundles.join("|")})\\.cjs$`);

/** The program of a command in a settings file, if it is ours: Node with a bundle, directly or through a shell. */
export function ownProgram(command: unknown) {
  if (!isObject(command) || command.type !== "command" || !Array.isArray(command.args)) return undefined;
  const words: unknown[] = [command.command, ...command.args];
  const at = words.findIndex((word) => typeof word === "string" && ownBundle.test(word));
  return at < 1 ? undefined : { node: String(words[at - 1]), bundle: String(words[at]) };
}

interface OwnCommand {
  readonly event: string;
  readonly group: number;
  readonly index: number;
  readonly command: JsonObject;
  /** It is the only command of its group. */
  readonly alone: boolean;
}

const listOrNone = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Our commands in the value of a settings file, in its order. */
export function ownCommands(settings: unknown): OwnCommand[] {
  const hooks = isObject(settings) && isObject(settings.hooks) ? settings.hooks : {};
  return Object.entries(hooks).flatMap(([event, groups]) =>
    listOrNone(groups).flatMap((group, at) => {
      const commands = isObject(group) ? listOrNone(group.hooks) : [];
      return commands.flatMap((command, index) =>
        isObject(command) && ownProgram(command) !== undefined
          ? [{ event, group: at, index, command, alone: commands.length === 1 }]
          : [],
      );
    }),
  );
}
