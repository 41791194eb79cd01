// Which program handles which event of Claude Code, and how our entries are told from all others.
import path from "node:path";
import { defined, isObject, type JsonObject } from "../lib/index.ts";

export const bundles = ["capture", "answer", "precompact", "slash", "file"] as const;

type Bundle = (typeof bundles)[number];

interface HookRule {
  readonly event: string;
  readonly bundle: Bundle;
  /** Seconds after which Claude Code continues without it. */
  readonly timeout: number;
  /** The user does not wait. Only where nothing is lost if the agent exits first: the worker reads the transcript. */
  readonly async?: true;
  /** The agent need not wait, and the hook finishes although the agent exits: a shell takes the payload and starts Node behind it. */
  readonly isDetached?: true;
  /** Matches tools by name, and compactions by what caused them. */
  readonly matcher?: string;
}

/**
 * Stop and SessionEnd are not asynchronous hooks: `claude -p` kills those when it exits. Below the
 * user's own `/compact` Claude Code prints the command of every hook around it, and all it said: that compaction is noticed at the
 * start that follows it, when the transcript still ends as before.
 */
export const hookTable: readonly HookRule[] = [
  { event: "SessionStart", bundle: "answer", timeout: 5 },
  { event: "UserPromptSubmit", bundle: "answer", timeout: 5, isDetached: true },
  { event: "PostToolUse", bundle: "capture", timeout: 10, async: true, isDetached: true, matcher: "*" },
  {
    event: "PostToolUseFailure",
    bundle: "capture",
    timeout: 10,
    async: true,
    isDetached: true,
    matcher: "*",
  },
  { event: "Stop", bundle: "capture", timeout: 10, isDetached: true },
  { event: "SubagentStop", bundle: "capture", timeout: 10, isDetached: true },
  { event: "PreCompact", bundle: "precompact", timeout: 10, matcher: "auto" },
  { event: "PostCompact", bundle: "capture", timeout: 10, matcher: "auto" },
  { event: "SessionEnd", bundle: "capture", timeout: 10, isDetached: true },
];

/** Groups of hooks by event, one command each. */
export type HookGroups = ReadonlyMap<
  string,
  { readonly matcher?: string; readonly hooks: readonly object[] }
>;
/** Not captured: it answers slash commands, of which a mod has captured none. */
const slashRule: HookRule = {
  ...{ event: "UserPromptExpansion", bundle: "slash", timeout: 30 },
  matcher: "throughline:.*|recall|remember",
};

/** Not captured: it says what is known of a file before that is read. No mod takes it. */
const fileRule: HookRule = { event: "PreToolUse", bundle: "file", timeout: 5, matcher: "Read" };

export interface HookProgram {
  /** The Node that runs the bundles. */
  readonly node: string;
  /** The file of a bundle. */
  readonly bundleFile: (bundle: Bundle) => string;
  /** Tool results are answered, not only captured: the call waits for the hook. */
  readonly answersTools?: boolean;
  /** The same for prompts. */
  readonly answersPrompts?: boolean;
  /** Before a file is read the model is told what is known of it: the call waits for the hook. */
  readonly answersReads?: boolean;
  /** Starts Node behind the agent's back where it need not wait, and not at all for an event that a mod has captured. */
  readonly shell?: string | undefined;
  readonly isBesideMod?: boolean;
  /** Slash commands of ours are answered without a model. */
  readonly answersCommands?: boolean;
}

/**
 * A mod has captured the event if both variables are equal and not empty. `src/hooks` checks the payload in the same way, and
 * handles every other case. Standard input is read either way.
 */
const unlessTaken =
  'if [ -n "$THROUGHLINE_TAKEN" ] && [ "$THROUGHLINE_TAKEN" = "$CLAUDE_CODE_SESSION_ID" ]; then exec cat >/dev/null; fi; ';
const inPlace = 'exec "$0" "$1"';
/** The payload is read to its end first: the agent may close its side once the shell has ended, or end itself. */
const behind = 'trap "" HUP; input=$(cat); { printf %s "$input" | "$0" "$1"; } >/dev/null 2>&1 &';

/** The rule of an event whose hook the agent waits for, because it may answer. */
const answeringRule = ({ async: _async, isDetached: _detached, ...rule }: HookRule): HookRule => ({
  ...rule,
  bundle: "answer",
});

/** The groups that we want in a settings file, by event. Commands are in exec form: nothing is quoted or needs PATH. */
export function hookGroups({ node, bundleFile, shell, isBesideMod = false, ...answers }: HookProgram) {
  const isAnswered = ({ event }: HookRule) =>
    (event === "PostToolUse" && answers.answersTools) ||
    (event === "UserPromptSubmit" && answers.answersPrompts);
  const groupFor = ({ event, bundle, timeout, async, isDetached, matcher }: HookRule) => {
    const file = bundleFile(bundle);
    const isTakeable = isBesideMod && bundle !== "slash" && bundle !== "file";
    const script = `${isTakeable ? unlessTaken : ""}${isDetached ? behind : inPlace}`;
    const run =
      shell === undefined || script === inPlace
        ? { command: node, args: [file] }
        : { command: shell, args: ["-c", script, node, file] };
    const hooks = [defined({ type: "command", ...run, timeout, async })];
    return [event, defined({ matcher, hooks })] as const;
  };
  const rules = [
    ...hookTable,
    ...(answers.answersReads ? [fileRule] : []),
    ...(answers.answersCommands ? [slashRule] : []),
  ];
  return new Map(rules.map((rule) => groupFor(isAnswered(rule) ? answeringRule(rule) : rule)));
}

/** The program of an installed package: this Node by its full path, so that nothing has to be on PATH. */
export function installedProgram(node: string, packageFolder: string): HookProgram {
  return {
    node,
    bundleFile: (bundle) => path.join(packageFolder, "dist", "hooks", `${bundle}.cjs`),
  };
}

/** What run.sh is told beside the program: which hook looks for Node, and for which the agent need not wait. */
function waysOf({ event, isDetached }: HookRule) {
  if (event === "SessionStart") return " start";
  // Prompts are answered where the settings ask for it, which run.sh looks up.
  if (event === "UserPromptSubmit") return " prompt";
  return isDetached ? " behind" : "";
}

/**
 * The plugin's own hooks file. Claude Code says where the plugin is; run.sh finds Node. A line for the shell, which on Windows
 * is the one that Claude Code brings along.
 */
export function pluginHooks(): JsonObject {
  const groups = [...hookTable, { ...slashRule, matcher: "throughline:.*" }].map((rule) => {
    const program = rule.event === "UserPromptSubmit" ? "answer" : rule.bundle;
    const command = `sh "\${CLAUDE_PLUGIN_ROOT}/hooks/run.sh" ${program}${waysOf(rule)}`;
    const { timeout, async, matcher } = rule;
    return [
      rule.event,
      [defined({ matcher, hooks: [defined({ type: "command", command, timeout, async })] })],
    ];
  });
  return {
    description: "Keeps every prompt, tool call and ending for Throughline.",
    hooks: Object.fromEntries(groups),
  };
}

const ownBundle = new RegExp(`(^|[\\\\/])dist[\\\\/]hooks[\\\\/](${bundles.join("|")})\\.cjs$`);

/** A command of another agent as one line: node, bundle, the agent's name, and a home folder where one was given. */
const ownLine = new RegExp(
  `^"([^"]+)" "([^"]*dist[\\\\/]hooks[\\\\/](?:${bundles.join("|")})\\.cjs)" [a-z-]+(?: "[^"]+")?$`,
);

function programOfLine(line: unknown) {
  const [, node, bundle] = typeof line === "string" ? (ownLine.exec(line) ?? []) : [];
  return node === undefined || bundle === undefined ? undefined : { node, bundle };
}

/** The program of a command in a settings file, if it is ours: Node with a bundle, directly or through a shell. */
export function ownProgram(command: unknown) {
  if (!isObject(command) || command.type !== "command") return undefined;
  if (!Array.isArray(command.args)) return programOfLine(command.command);
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
        isObject(command) && ownProgram(command)
          ? [{ event, group: at, index, command, alone: commands.length === 1 }]
          : [],
      );
    }),
  );
}
