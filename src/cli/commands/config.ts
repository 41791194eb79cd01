// `throughline config`: the settings and where they come from.
import { homedir } from "node:os";
import { resolve } from "node:path";
import {
  checkTrustable,
  configFiles,
  configJsonSchema,
  describeOrigin,
  type LoadedConfig,
  loadConfig,
  readProjectText,
  readSetting,
  type SettingChange,
  setSetting,
  settings,
  trustContent,
  unsetSetting,
  untrust,
} from "../../config/index.ts";
import { defined, notFoundError, present, ThroughlineError, usageError } from "../../lib/index.ts";
import { defineCommand, defineGroup, flag, operand } from "../command.ts";
import { confirmed } from "../confirm.ts";
import { commandContext, currentConfig } from "../context.ts";
import { columns, plain, wrapped } from "../output.ts";
import { isInteractive, paint, screenOf } from "../terminal.ts";

const ignoredReasons = {
  untrusted: "not trusted; see `throughline config trust`",
  "not-project": "a project cannot set it",
  outside: "a project can exclude only its own folders",
} as const;

const WIDEST = 100;
const ABOUT_INDENT = "    ";

const list = defineCommand({
  summary: "show every setting in effect",

  args: {
    origin: flag("show where each value comes from"),
  },
  examples: {
    "throughline config list": "every setting, its value and what it does",
    "throughline config list --origin": "with its file and line, variable or default",
    "throughline config list --json": "the same with origins, for a program",
  },
  run({ args }) {
    const { origins, project } = currentConfig();
    const rows = origins.map(({ key, value, origin }) => [
      key,
      plain(value),
      ...(args.origin ? [paint("dim", describeOrigin(origin))] : []),
    ]);
    const ignored = (project?.ignored ?? []).map(({ key, value, line, why }) => [
      key,
      plain(value),
      paint("yellow", `ignored (${ignoredReasons[why]}): ${project?.file}:${line}`),
    ]);
    const problems = (project?.problems ?? []).map((problem) =>
      paint("yellow", `${project?.file}: ${problem}`),
    );
    const data = { settings: origins, project: project ?? null };
    if (args.origin) return { data, text: [columns([...rows, ...ignored]), ...problems] };
    const about = new Map(settings.map(({ key, description }) => [key, description]));
    const width = screenOf("stdout").columns ?? WIDEST;
    const text = rows.flatMap(([key = "", value]) => [
      `${paint("bold", key)}  ${value}`,
      ...wrapped(about.get(key) ?? "", width - ABOUT_INDENT.length).map((line) =>
        paint("dim", `${ABOUT_INDENT}${line}`.trimEnd()),
      ),
    ]);
    return { data, text };
  },
});

const get = defineCommand({
  summary: "show one setting",

  args: {
    key: operand("dotted name, such as replay.ttl"),
  },
  examples: {
    "throughline config get policy": "the value only, for scripts",
    "throughline config get replay.ttl --json": "with its key",
  },
  run({ args }) {
    const value = readSetting(currentConfig(), args.key);
    return { data: { key: args.key, value }, text: plain(value) };
  },
});

const projectArg = {
  project: flag("in the project's file instead of your own"),
};

/** The file that `--project` selects. */
const configTarget = (project: boolean) =>
  ({ ...commandContext(), scope: project ? "project" : "user" }) as const;

/** The hooks of Claude Code are installed by what these say: whether the agent waits for them. */
const inHooks: readonly string[] = ["inject.prompts", "inject.files", "budget.hooks"];

function changeReport({ key, file, before, after, trusted }: SettingChange) {
  const shown = (value: unknown) => (value === undefined ? "(not set)" : plain(value));
  return {
    // JSON has no undefined: a value that is not set is null.
    data: defined({ key, file, before: before ?? null, after: after ?? null, trusted }),
    text: [
      `${key}: ${shown(before)} → ${shown(after)}`,
      file,
      inHooks.includes(key) && "`throughline install` puts it into the hooks of Claude Code",
      trusted === false &&
        "the file has other values that are not trusted; `throughline config trust` shows them",
    ],
  };
}

/** The setting that is a list of folders. */
const FOLDERS = "capture.exclude";

/** A folder as it is typed is added to the user's list, with its whole path; a list as JSON is taken as it is. */
function withFolder(text: string, isProject: boolean) {
  if (text.trimStart().startsWith("[")) return text;
  const { home, cwd } = commandContext();
  const folder = resolve(cwd, text.replace(/^~(?=$|[\\/])/, homedir()));
  const before = isProject ? [] : loadConfig({ home, env: {} }).values.capture.exclude;
  return JSON.stringify([...new Set([...before, folder])]);
}

const set = defineCommand({
  summary: "change one setting in a file",

  args: {
    key: operand("dotted name, such as replay.ttl"),
    value: operand("the new value; objects as JSON"),
    ...projectArg,
  },
  examples: {
    "throughline config set policy seed": "in your own file",
    "throughline config set snapshot.hours 8 --project": "in the project's file",
    "throughline config set capture.exclude ~/private": "adds one folder to your list",
    "throughline config set models.my-model.like claude-haiku-5-5": "a model of your own",
  },
  run({ args }) {
    const value = args.key === FOLDERS ? withFolder(args.value, args.project) : args.value;
    return changeReport(setSetting(configTarget(args.project), args.key, value));
  },
});

const unset = defineCommand({
  summary: "remove one setting from a file",

  args: {
    key: operand("dotted name, such as replay.ttl"),
    ...projectArg,
  },
  examples: {
    "throughline config unset policy": "use the value of the other sources",
    "throughline config unset replay.ttl --project": "in the project's file",
  },
  run({ args }) {
    return changeReport(unsetSetting(configTarget(args.project), args.key));
  },
});

/** What trusting the file would change. */
function detailsOf({ file, ignored }: NonNullable<LoadedConfig["project"]>) {
  const counts = ignored.filter(({ why }) => why === "untrusted");
  const never = ignored.filter(({ why }) => why === "not-project").map(({ key }) => key);
  return present([
    file,
    counts.length === 0
      ? "it has no value that needs trust"
      : columns(counts.map(({ key, value, line }) => [key, plain(value), `line ${line}`])),
    never.length > 0 && `still ignored, because a project cannot set: ${never.join(", ")}`,
  ]).join("\n");
}

const trust = defineCommand({
  summary: "let the project's file take effect, after a look",

  examples: { "throughline config trust": "show what the project's file sets, and ask" },
  async run({ args }) {
    const { home, cwd, env } = commandContext();
    const { file, exists } = configFiles(home, cwd).project;
    if (!exists) {
      throw notFoundError(
        `${file} does not exist`,
        "`throughline config set KEY VALUE --project` creates and trusts it",
      );
    }
    const { digest, trust } = readProjectText(home, file);
    checkTrustable(file, trust);
    const { project } = loadConfig({ home, cwd, env });
    if (project && project.problems.length > 0) {
      throw new ThroughlineError(
        "config-invalid",
        `${file}: ${project.problems.join("; ")}`,
        `edit ${file} first`,
      );
    }
    const report = (trusted: boolean, changed: boolean, text: string) => ({
      data: { file, digest, trusted, changed },
      text,
    });
    if (trust === "trusted" || !project) return report(true, false, `${file} is already trusted`);
    if (args.json || !isInteractive()) {
      throw usageError(
        "a file can be trusted only at a terminal",
        "run `throughline config trust` there, or set the values in your own file: `throughline config set KEY VALUE`",
      );
    }
    const question = { details: detailsOf(project), question: "Trust this file?", isOffByDefault: true };
    const isYes = await confirmed({ ...question, yes: false, json: false });
    if (!isYes) return report(false, false, "nothing was changed");
    // Trusts what was shown: if the file was changed meanwhile, its new content is not trusted.
    trustContent(home, file, digest);
    return report(true, true, `trusted: ${file}; any change to it has to be trusted again`);
  },
});

const untrustCommand = defineCommand({
  summary: "stop trusting the project's file",

  examples: { "throughline config untrust": "the file of the project in this folder" },
  run() {
    const { home, cwd } = commandContext();
    const { file, exists } = configFiles(home, cwd).project;
    const changed = exists && untrust(home, file);
    return {
      data: { file, changed },
      text: changed ? `no longer trusted: ${file}` : `${file} was not trusted`,
    };
  },
});

const path = defineCommand({
  summary: "show where the files are",

  examples: {
    "throughline config path": "your file and the project's",
    "throughline config path --json": "the same, for a program",
  },
  run() {
    const { home, cwd } = commandContext();
    const files = configFiles(home, cwd);
    const rows = Object.entries(files).map(([scope, { file, exists }]) => [
      scope,
      exists ? file : `${file} (does not exist yet)`,
    ]);
    return { data: files, text: columns(rows) };
  },
});

const schema = defineCommand({
  summary: "print the JSON Schema of the files",

  examples: { "throughline config schema > config.schema.json": "for an editor to check against" },
  run() {
    const schema = configJsonSchema();
    return { data: schema, text: JSON.stringify(schema, null, 2) };
  },
});

export default {
  config: defineGroup(
    { list, get, set, unset, trust, untrust: untrustCommand, path, schema },
    {
      "throughline config list --origin": "every setting and where it comes from",
      "throughline config set policy seed": "change your own file",
    },
  ),
};
