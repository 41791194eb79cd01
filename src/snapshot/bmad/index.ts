// Where a BMad project stands, read from its own files: version 4, the alphas of version 6, and version 6 itself.
import { existsSync } from "node:fs";
import path from "node:path";
import { defined, isoTime, type JsonObject, minuteOf } from "../../lib/index.ts";
import type { ProjectState, ProjectStateContext, ProjectStateReader } from "../projectState.ts";
import {
  insideProject,
  listBmadFolder,
  modifiedAt,
  overlay,
  readBmadText,
  readWorkflow,
  shownPath,
  tomlObject,
  wordsAt,
  yamlObject,
} from "./files.ts";
import { type Agent, calledInBmad, rosterOf, rosterOfFiles } from "./roster.ts";
import {
  byNumber,
  currentStory,
  isDone,
  numberInName,
  openRetrospective,
  openTasks,
  readSprint,
  readStory,
  type Sprint,
  type SprintStory,
  statusOf,
  storyLabel,
} from "./sprint.ts";

/** What one generation of BMad tells; the agent is the same question for all. */
interface BmadStanding extends Omit<ProjectState, "agent" | "function"> {
  readonly roster: readonly Agent[];
}

type SprintStanding = Pick<BmadStanding, "story" | "next" | "files" | "notes">;

const MOST_TASKS = 5;

function versionOf(file: string) {
  const manifest = yamlObject(readBmadText(file));
  return wordsAt(manifest, "installation", "version") ?? wordsAt(manifest, "version");
}

/** Version 4 keeps no status: the current story is the highest that is not done. */
function readV4(project: string): BmadStanding | undefined {
  const base = path.join(project, ".bmad-core");
  const config = yamlObject(readBmadText(path.join(base, "core-config.yaml")));
  if (!config) return undefined;
  const folder = insideProject(project, wordsAt(config, "devStoryLocation") ?? "docs/stories");
  const stories = listBmadFolder(folder ?? "").flatMap((name) => {
    const file = path.join(folder ?? "", name);
    const text = name.endsWith(".md") ? readBmadText(file) : undefined;
    if (text === undefined) return [];
    const read = readStory(text);
    const number = numberInName(name) ?? read.number;
    return number ? [{ ...read, number, file, text }] : [];
  });
  const current = stories
    .filter(({ status }) => !isDone(status))
    .sort((a, b) => byNumber(b.number, a.number))[0];
  const version = versionOf(path.join(base, "install-manifest.yaml"));
  return {
    method: `BMad ${version ?? "4"}`,
    roster: rosterOfFiles(path.join(base, "agents")),
    ...(current && {
      story: describeStory(storyLabel(current.number), current.title, current.status ?? "unknown"),
    }),
    next: current ? openTasks(current.text).slice(0, MOST_TASKS) : [],
    files: current ? [shownPath(project, current.file)] : [],
    notes: stories.length === 0 ? ["no story file was found"] : [],
  };
}

const describeStory = (label: string, title: string | undefined, status: string) =>
  `Story ${label}${title === undefined ? "" : `: ${title}`} [${status}]`;

interface V6Place {
  readonly base: string;
  /** Merged settings, with the paths under `bmm` whichever file they came from. */
  readonly config: JsonObject;
  readonly stable: boolean;
}

const configLayers = ["config.toml", "config.user.toml", "custom/config.toml", "custom/config.user.toml"];

function findV6(project: string): V6Place | undefined {
  const base = path.join(project, "_bmad");
  if (existsSync(path.join(base, "config.toml"))) {
    const config = configLayers
      .map((name) => tomlObject(readBmadText(path.join(base, name))) ?? {})
      .reduce((below, above) => overlay(below, above), {});
    return { base, config, stable: true };
  }
  for (const folder of ["_bmad", ".bmad", "bmad"]) {
    const file = path.join(project, folder, "bmm", "config.yaml");
    const flat = yamlObject(readBmadText(file));
    if (flat) {
      const config = { core: flat, modules: { bmm: flat } };
      return { base: path.join(project, folder), config, stable: folder === "_bmad" };
    }
  }
  return undefined;
}

/** Where the generation puts its artifacts, the configured place first. */
function sprintFolders(project: string, { config, stable }: V6Place) {
  const output = wordsAt(config, "core", "output_folder") ?? (stable ? "_bmad-output" : "docs");
  const named = [
    "implementation_artifacts",
    "sprint_artifacts",
    "dev_story_location",
    "dev_ephemeral_location",
  ]
    .map((key) => wordsAt(config, "modules", "bmm", key))
    .filter((folder) => folder !== undefined)
    .map((folder) => folder.replaceAll("{output_folder}", output));
  const usual = stable
    ? [`${output}/implementation-artifacts`]
    : [`${output}/sprint-artifacts`, output, `${output}/stories`];
  return [...new Set([...named, ...usual])].flatMap((folder) => insideProject(project, folder) ?? []);
}

interface FoundSprint {
  readonly sprint: Sprint;
  readonly file: string;
}

function findSprint(folders: readonly string[]): FoundSprint | undefined {
  for (const folder of folders) {
    const file = path.join(folder, "sprint-status.yaml");
    const read = yamlObject(readBmadText(file));
    if (read) return { sprint: readSprint(read), file };
  }
  return undefined;
}

interface StoryText {
  readonly file: string;
  readonly text: string;
}

/**
 * The story's own file: `KEY.md`, or the spec that a build made of it. A spec whose words differ from the key is
 * the story's where its number says so and no other one is open.
 */
function storyFile(folders: readonly string[], { key, number }: SprintStory): StoryText | undefined {
  const read = (file: string) => {
    const text = readBmadText(file);
    return text === undefined ? [] : [{ file, text }];
  };
  const exact = folders.flatMap((folder) =>
    [`${key}.md`, `stories/${key}.md`, `spec-${key}.md`].map((name) => path.join(folder, name)),
  );
  const [found] = exact.flatMap(read);
  if (found) return found;
  const [only, another] = specsIn(folders).filter(({ file }) => {
    const own = numberInName(path.basename(file));
    return own !== undefined && byNumber(own, number) === 0;
  });
  return another ? undefined : only;
}

const openSpecs = ["in-progress", "review", "ready-for-dev", "draft"];

/** Specs of builds that are not done. */
function specsIn(folders: readonly string[]): (StoryText & { readonly status: string })[] {
  return folders.flatMap((folder) =>
    listBmadFolder(folder).flatMap((name) => {
      const file = path.join(folder, name);
      const text = /^spec-.+\.md$/.test(name) ? readBmadText(file) : undefined;
      const status = statusOf(text && readStory(text).status);
      return text !== undefined && openSpecs.includes(status) ? [{ file, text, status }] : [];
    }),
  );
}

/** Work that no sprint plans: the one spec that is furthest; of several the files do not say which is current. */
function standingOfSpecs(project: string, folders: readonly string[]): SprintStanding | undefined {
  const specs = specsIn(folders);
  const furthest = openSpecs.find((status) => specs.some((spec) => spec.status === status));
  const [only, another] = specs.filter(({ status }) => status === furthest);
  if (!only || furthest === undefined) return undefined;
  if (another) {
    const names = specs.map(({ file, status }) => `${shownPath(project, file)} [${status}]`);
    return { next: [], files: [], notes: [`several specs are open: ${names.join(", ")}`] };
  }
  const name = path.basename(only.file, ".md");
  return {
    story: `Spec ${readStory(only.text).title ?? name} [${furthest}]`,
    next: openTasks(only.text).slice(0, MOST_TASKS),
    files: [shownPath(project, only.file)],
    notes: [],
  };
}

const dayOfDate = (ms: number | undefined) => (ms === undefined ? "unknown" : minuteOf(isoTime(ms)));

function standingOfSprint(
  project: string,
  { sprint, file }: FoundSprint,
  folders: readonly string[],
): SprintStanding {
  const current = currentStory(sprint);
  const source = shownPath(project, file);
  const strange =
    sprint.strange.length > 0 ? [`keys not understood in ${source}: ${sprint.strange.join(", ")}`] : [];
  if (!current) {
    const epic = openRetrospective(sprint);
    const next = [...(epic === undefined ? [] : [`retrospective of epic ${epic}`]), ...sprint.actions];
    return { next, files: [source], notes: strange };
  }
  const own = storyFile(folders, current);
  const sprintState = own && readStory(own.text);
  const disagrees =
    sprintState?.status !== undefined && statusOf(sprintState.status) !== current.status
      ? [
          `${source} says ${current.status} (${dayOfDate(modifiedAt(file))} UTC), the story says ${sprintState.status} (${dayOfDate(modifiedAt(own?.file ?? ""))} UTC)`,
        ]
      : [];
  const epicStatus = sprint.epics.get(current.number.epic);
  const label = storyLabel(current.number);
  const title =
    sprintState?.title ??
    current.key
      .replace(/^(?:story-)?\d+-\d+[a-z]?-?/, "")
      .replaceAll("-", " ")
      .trim();
  return {
    story: `Epic ${current.number.epic}${epicStatus === undefined ? "" : ` [${epicStatus}]`}, ${describeStory(label, title || undefined, current.status)}`,
    next: [...(own ? openTasks(own.text).slice(0, MOST_TASKS) : []), ...sprint.actions],
    files: [source, ...(own ? [shownPath(project, own.file)] : [])],
    notes: [...disagrees, ...strange],
  };
}

function readV6(project: string): BmadStanding | undefined {
  const place = findV6(project);
  if (!place) return undefined;
  const { base, config, stable } = place;
  const version =
    versionOf(path.join(base, "_config", "manifest.yaml")) ??
    versionOf(path.join(base, "_cfg", "manifest.yaml"));
  const shared = { method: `BMad ${version ?? (stable ? "6" : "6 alpha")}`, roster: rosterOf(base, config) };
  const folders = sprintFolders(project, place);
  const sprint = findSprint(folders);
  const sprintState = sprint ? standingOfSprint(project, sprint, folders) : standingOfSpecs(project, folders);
  const workflowFile = insideProject(
    project,
    `${wordsAt(config, "core", "output_folder") ?? "docs"}/bmm-workflow-status.yaml`,
  );
  const flow = yamlObject(readBmadText(workflowFile ?? ""));
  const state = flow && readWorkflow(flow);
  const remarks = [
    ...(state?.phase === undefined ? [] : [`current phase: ${state.phase}`]),
    ...(state?.epic === undefined ? [] : [`current epic: ${state.epic}`]),
  ];
  return {
    ...shared,
    ...defined({ story: sprintState?.story }),
    // While a story is under way the workflow's plan is history.
    next: [
      ...(sprintState?.next ?? []),
      ...(sprintState?.story === undefined && state?.next ? [state.next] : []),
    ],
    files: [
      ...(sprintState?.files ?? []),
      ...(flow && workflowFile ? [shownPath(project, workflowFile)] : []),
    ],
    notes: [
      ...(sprintState?.notes ?? []),
      ...remarks,
      ...(!sprintState && !flow ? ["no status file was found"] : []),
    ],
  };
}

export const bmadReader: ProjectStateReader = {
  name: "bmad",
  async read({ project, invocations }: ProjectStateContext): Promise<ProjectState | undefined> {
    const standing = readV6(project) ?? readV4(project);
    if (!standing) return undefined;
    const { roster, ...sprintState } = standing;
    return { ...sprintState, ...calledInBmad(roster, invocations) };
  },
};
