// What of a project's file counts: keys that a project may set once the user trusts the file, and what only narrows.
import path from "node:path";
import { type Home, projectRoots, projectRules, withinProject } from "../home/index.ts";
import { errorText } from "../lib/index.ts";
import { type Entry, readDocument, readUsable } from "./document.ts";
import { type ConfigFile, projectFileIn } from "./files.ts";
import { settingAt } from "./settings.ts";
import { readProjectText, type Trust } from "./trust.ts";

/** A value that stands in a project's file and does not count. */
interface IgnoredSetting {
  readonly key: string;
  readonly value: unknown;
  readonly line: number;
  /** `untrusted`: it would count if the file were trusted. `not-project`: no project may set it. `outside`: it names folders elsewhere. */
  readonly why: "untrusted" | "not-project" | "outside";
}

/** The file of a project, and what became of what it says. */
export interface ProjectSettings {
  readonly file: string;
  readonly trust: Trust;
  readonly ignored: readonly IgnoredSetting[];
  /** What cannot be used at all, by line. */
  readonly problems: readonly string[];
}

interface ProjectEntry extends Entry {
  readonly file: string;
}

interface ReadProject {
  readonly entries: readonly ProjectEntry[];
  readonly settings?: ProjectSettings;
}

const keyOf = ({ path: at }: Entry): string => at.join(".");

/** What a value that is not trusted may do: take something away. */
const narrows = (entry: Entry): boolean =>
  settingAt(entry.path)?.project?.narrows === "off" && entry.value === false;

const isExclude = (entry: Entry): boolean => settingAt(entry.path)?.project?.narrows === "list";

/** Why a value does not count; undefined where it does. */
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
  const said = problem === undefined ? [] : [problem];
  try {
    const { text, trust } = readProjectText(home, file);
    // What was trusted was valid; should it not be any more, that is an error like in the user's own file.
    const { entries, problems } =
      trust === "trusted" ? { entries: readDocument(text, file), problems: [] } : readUsable(text);
    const judged = entries.map((entry) => ({ entry, why: reasonFor(entry, trust, root) }));
    return {
      entries: judged.flatMap(({ entry, why }) =>
        why === undefined && !isExclude(entry) ? { ...entry, file } : [],
      ),
      settings: {
        file,
        trust,
        ignored: judged.flatMap(({ entry, why }) =>
          why === undefined ? [] : { key: keyOf(entry), value: entry.value, line: entry.line, why },
        ),
        problems: [...said, ...problems],
      },
    };
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "config-invalid") throw error;
    const settings = {
      file,
      trust: "untrusted",
      ignored: [],
      problems: [...said, errorText(error)],
    } as const;
    return { entries: [], settings };
  }
}

/** Of a file above the nearest one only what narrows counts. */
function readOuter(home: Home, { file }: ConfigFile): ProjectEntry[] {
  try {
    const { entries } = readUsable(readProjectText(home, file).text);
    return entries.filter(narrows).map((entry) => ({ ...entry, file }));
  } catch {
    // What cannot be read excludes its project, and says no more.
    return [];
  }
}

/** Every value of the project that counts in a folder; later ones win. */
export function readProject(home: Home, cwd: string): ReadProject {
  const files = projectRoots(cwd).map((root) => projectFileIn(path.join(root, ".throughline")));
  const [nearest, ...outer] = files.filter(({ exists }) => exists);
  if (nearest === undefined) return { entries: [] };
  const { entries, settings } = readNearest(home, nearest);
  const above = outer.reverse().flatMap((file) => readOuter(home, file));
  const exclude = projectRules(cwd).exclude;
  const excluding: ProjectEntry[] =
    exclude.length === 0
      ? []
      : [{ path: ["capture", "exclude"], value: exclude, line: 1, file: nearest.file }];
  return { entries: [...above, ...entries, ...excluding], ...(settings === undefined ? {} : { settings }) };
}
