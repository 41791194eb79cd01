// Which values of a project's file take effect: project keys once the user trusts the file, and values that only restrict.
import path from "node:path";
import { type Home, projectRoots, projectRules, withinProject } from "../home/index.ts";
import { defined, errorText, present, ThroughlineError } from "../lib/index.ts";
import { type Entry, readDocument, readUsable } from "./document.ts";
import { type ConfigFile, projectFileIn } from "./files.ts";
import { settingAt } from "./settings.ts";
import { readProjectText, type Trust } from "./trust.ts";

/** A value of a project's file that is ignored. */
interface IgnoredSetting {
  readonly key: string;
  readonly value: unknown;
  readonly line: number;
  /** `untrusted`: the file is not trusted. `not-project`: a project cannot set it. `outside`: it names folders outside the project. */
  readonly why: "untrusted" | "not-project" | "outside";
}

/** The file of a project, with its ignored values. */
export interface ProjectSettings {
  readonly file: string;
  readonly trust: Trust;
  readonly ignored: readonly IgnoredSetting[];
  /** Invalid values, by line. */
  readonly problems: readonly string[];
}

interface ReadProject {
  readonly entries: readonly (Entry & { readonly file: string })[];
  readonly settings?: ProjectSettings;
}

/** Whether a value only restricts, and takes effect without trust. */
const narrows = (entry: Entry) => settingAt(entry.path)?.project?.narrows === "off" && entry.value === false;

const isExclude = (entry: Entry) => settingAt(entry.path)?.project?.narrows === "list";

/** Why a value is ignored; undefined where it takes effect. */
function reasonFor(entry: Entry, trust: Trust, root: string): IgnoredSetting["why"] | undefined {
  const project = settingAt(entry.path)?.project;
  if (project === undefined) return "not-project";
  if (isExclude(entry)) {
    const listed = entry.value as readonly string[];
    return withinProject(root, listed).length < listed.length ? "outside" : undefined;
  }
  return trust === "trusted" || narrows(entry) ? undefined : "untrusted";
}

function readNearest(home: Home, { file, problem }: ConfigFile): ReadProject {
  const root = path.dirname(path.dirname(file));
  const known = problem === undefined ? [] : [problem];
  try {
    const { text, trust } = readProjectText(home, file);
    // A trusted file was valid: an invalid one is an error, as in the user's own file.
    const { entries, problems } =
      trust === "trusted" ? { entries: readDocument(text, file), problems: [] } : readUsable(text);
    const ignored: IgnoredSetting[] = [];
    const effective = entries.filter((entry) => {
      const why = reasonFor(entry, trust, root);
      const { value, line } = entry;
      if (why !== undefined) ignored.push({ key: entry.path.join("."), value, line, why });
      return why === undefined && !isExclude(entry);
    });
    return {
      entries: effective.map((entry) => ({ ...entry, file })),
      settings: { file, trust, ignored, problems: [...known, ...problems] },
    };
  } catch (error) {
    if (error instanceof ThroughlineError && error.code === "config-invalid") throw error;
    const problems = [...known, errorText(error)];
    return { entries: [], settings: { file, trust: "untrusted", ignored: [], problems } };
  }
}

/** Files above the nearest one can only restrict. */
function readOuter(home: Home, { file }: ConfigFile) {
  try {
    const { entries } = readUsable(readProjectText(home, file).text);
    return entries.filter(narrows).map((entry) => ({ ...entry, file }));
  } catch {
    // An unreadable file excludes its project and has no other effect.
    return [];
  }
}

/** Every value of the project that takes effect in a folder; later ones win. */
export function readProject(home: Home, cwd: string): ReadProject {
  const files = projectRoots(cwd).map((root) => projectFileIn(path.join(root, ".throughline")));
  const [nearest, ...outer] = files.filter(({ exists }) => exists);
  if (nearest === undefined) return { entries: [] };
  const { entries, settings } = readNearest(home, nearest);
  const above = outer.reverse().flatMap((file) => readOuter(home, file));
  const exclude = projectRules(cwd).exclude;
  const excluding = { path: ["capture", "exclude"], value: exclude, line: 1, file: nearest.file };
  return {
    entries: present([...above, ...entries, exclude.length > 0 && excluding]),
    ...defined({ settings }),
  };
}
