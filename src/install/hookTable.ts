// Which program answers which event of Claude Code, and how to tell our entries from everybody else's.
import path from "node:path";
import { isObject, type JsonObject } from "../lib/index.ts";

export const bundles = ["capture", "answer", "precompact"] as const;

export type Bundle = (typeof bundles)[number];

interface HookRule {
  readonly event: string;
  readonly bundle: Bundle;
  /** Seconds after which Claude Code goes on without it. */
  readonly timeout: number;
  /** The user does not wait. Only where nothing is lost when the agent ends first: the worker reads the transcript. */
  readonly async?: true;
  /** Tools are matched by name; every one of them counts. */
  readonly matcher?: string;
}

/** Stop and SessionEnd are waited for: `claude -p` ends what runs beside it when it leaves. */
export const hookTable: readonly HookRule[] = [
  { event: "SessionStart", bundle: "answer", timeout: 5 },
  { event: "UserPromptSubmit", bundle: "answer", timeout: 5 },
  { event: "PostToolUse", bundle: "capture", timeout: 10, async: true, matcher: "*" },
  { event: "PostToolUseFailure", bundle: "capture", timeout: 10, async: true, matcher: "*" },
  { event: "Stop", bundle: "capture", timeout: 10 },
  { event: "SubagentStop", bundle: "capture", timeout: 10 },
  { event: "PreCompact", bundle: "precompact", timeout: 10 },
  { event: "PostCompact", bundle: "capture", timeout: 10 },
  { event: "SessionEnd", bundle: "capture", timeout: 10 },
];

/** One command of a hook group, in exec form: no shell, no quoting, no PATH. */
export interface HookCommand {
  readonly type: "command";
  readonly command: string;
  readonly args: readonly string[];
  readonly timeout: number;
  readonly async?: true;
}

export interface HookGroup {
  readonly matcher?: string;
  readonly hooks: readonly HookCommand[];
}

export type HookGroups = ReadonlyMap<string, HookGroup>;

export interface HookProgram {
  /** The Node that runs the bundles. */
  readonly node: string;
  /** The file of a bundle. */
  readonly bundleFile: (bundle: Bundle) => string;
  /** Tools are answered and not only captured: whoever calls one waits for the hook. */
  readonly answersTools?: boolean;
}

/** The rule of an event, where tools are answered too. */
const answering = (rule: HookRule): HookRule => {
  if (rule.event !== "PostToolUse") return rule;
  const { async: _waited, ...rest } = rule;
  return { ...rest, bundle: "answer" };
};

/** The groups we want in a settings file, by event. */
export function hookGroups({ node, bundleFile, answersTools = false }: HookProgram): HookGroups {
  return new Map(
    (answersTools ? hookTable.map(answering) : hookTable).map(
      ({ event, bundle, timeout, async, matcher }) => [
        event,
        {
          ...(matcher === undefined ? {} : { matcher }),
          hooks: [
            {
              type: "command",
              command: node,
              args: [bundleFile(bundle)],
              timeout,
              ...(async === undefined ? {} : { async }),
            },
          ],
        },
      ],
    ),
  );
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

/** The bundle that a command of a settings file runs, if it is one of ours. */
export function ownBundleFile(command: unknown): string | undefined {
  if (!isObject(command) || command.type !== "command" || !Array.isArray(command.args)) return undefined;
  const file: unknown = command.args[0];
  return typeof file === "string" && ownBundle.test(file) ? file : undefined;
}

export interface OwnCommand {
  readonly event: string;
  readonly group: number;
  readonly index: number;
  readonly command: JsonObject;
  /** It is the only command of its group. */
  readonly alone: boolean;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Our commands in the value of a settings file, in its order. */
export function ownCommands(settings: unknown): OwnCommand[] {
  const hooks = isObject(settings) && isObject(settings.hooks) ? settings.hooks : {};
  return Object.entries(hooks).flatMap(([event, groups]) =>
    listOf(groups).flatMap((group, at) => {
      const commands = isObject(group) ? listOf(group.hooks) : [];
      return commands.flatMap((command, index) =>
        isObject(command) && ownBundleFile(command) !== undefined
          ? [{ event, group: at, index, command, alone: commands.length === 1 }]
          : [],
      );
    }),
  );
}
