// The sprint status of BMad 6: its keys, its statuses old and new, and BMad's own rule for the story that is current.
import { isObject, type JsonObject } from "../../lib/index.ts";
import { at, wordsAt, yamlObject } from "./files.ts";

export interface SprintStory {
  readonly key: string;
  readonly number: StoryNumber;
  readonly status: string;
}

export interface Sprint {
  readonly stories: readonly SprintStory[];
  readonly epics: ReadonlyMap<number, string>;
  readonly retrospectives: ReadonlyMap<number, string>;
  /** Open points of retrospectives. */
  readonly actions: readonly string[];
  /** Keys that follow no rule. */
  readonly strange: readonly string[];
}

/** What earlier versions called the same. */
const renamed: Readonly<Record<string, string>> = {
  drafted: "ready-for-dev",
  contexted: "in-progress",
  complete: "done",
  completed: "done",
  "in-review": "review",
};

/** A status by its newest name: the sprint, the story's file and its spec have names of their own. */
export const statusOf = (value: unknown) => {
  const word = String(value ?? "")
    .trim()
    .toLowerCase()
    .replaceAll(" ", "-");
  return Object.hasOwn(renamed, word) ? (renamed[word] ?? word) : word;
};

function actionsOf(file: JsonObject) {
  const items = at(file, "action_items");
  return (Array.isArray(items) ? items : []).flatMap((item) => {
    if (!isObject(item) || typeof item.action !== "string") return [];
    const open = ["open", "in-progress"].includes(statusOf(item.status));
    return open ? [item.action.trim()] : [];
  });
}

export function readSprint(file: JsonObject): Sprint {
  const status = at(file, "development_status");
  const stories: SprintStory[] = [];
  const epics = new Map<number, string>();
  const retrospectives = new Map<number, string>();
  const strange: string[] = [];
  for (const [key, value] of Object.entries(isObject(status) ? status : {})) {
    const epic = /^epic-(\d+)(-retrospective)?$/.exec(key);
    const story = /^(?:story-)?(\d+)-(\d+)([a-z]?)(?:-.+)?$/.exec(key);
    if (epic) (epic[2] ? retrospectives : epics).set(Number(epic[1]), statusOf(value));
    else if (story) {
      const number = { epic: Number(story[1]), story: Number(story[2]), letter: story[3] ?? "" };
      stories.push({ key, number, status: statusOf(value) });
    } else strange.push(key);
  }
  stories.sort((a, b) => byNumber(a.number, b.number) || (a.key < b.key ? -1 : 1));
  return { stories, epics, retrospectives, actions: actionsOf(file), strange };
}

const statusOrder = ["in-progress", "review", "ready-for-dev", "backlog"];

/** The first by number that is in progress, else in review, else ready, else in the backlog. */
export function currentStory({ stories }: Sprint) {
  for (const status of statusOrder) {
    const found = stories.find((story) => story.status === status);
    if (found) return found;
  }
  return undefined;
}

/** The first retrospective that is not done: what comes when no story is left. */
export function openRetrospective({ retrospectives }: Sprint) {
  return [...retrospectives]
    .filter(([, status]) => status === "optional")
    .map(([epic]) => epic)
    .sort((a, b) => a - b)[0];
}

interface StoryNumber {
  readonly epic: number;
  readonly story: number;
  /** A story that was split has a letter. */
  readonly letter: string;
}

export const storyLabel = ({ epic, story, letter }: StoryNumber) => `${epic}.${story}${letter}`;

export function byNumber(a: StoryNumber, b: StoryNumber) {
  return a.epic - b.epic || a.story - b.story || (a.letter < b.letter ? -1 : a.letter > b.letter ? 1 : 0);
}

const numberOf = (epic = "", story = "", letter = ""): StoryNumber => ({
  epic: Number(epic),
  story: Number(story),
  letter: letter.toLowerCase(),
});

/** `1.4.title.md`, `1.4.story.md`, `story-1.4-title.md`, `1-4-title.md`, `spec-1-4-title.md`. */
export function numberInName(name: string): StoryNumber | undefined {
  const match = /^(?:(?:story|spec)[-.])?(\d+)[.-](\d+)([a-z]?)(?:[.-].*)?\.md$/i.exec(name);
  return match ? numberOf(match[1], match[2], match[3]) : undefined;
}

const storyHeading = /^#\s+Story\s+(\d+)[.-](\d+)([a-z]?)\s*[:：-]?\s*(.*)$/im;
/** `Status: x`, `**Status:** x`, `## Status` with the word on one of the next lines, and frontmatter. */
const statusLine = /^[ \t>*_-]*Status[*_ \t]*[:：][*_ \t]*(\S.*?)[*_ \t]*$/im;
const statusHeading = /^#{1,4}\s+Status\s*$\s*^(?!#)[ \t>*_-]*(\S.*?)[*_ \t]*$/im;

const frontmatter = /^---\r?\n([\s\S]*?)\r?\n---\s*$/m;

export function readStory(text: string) {
  const head = text.startsWith("---") ? yamlObject(frontmatter.exec(text)?.[1]) : undefined;
  const prose = text.replace(/^(`{3,}|~{3,})[\s\S]*?^\1\s*$/gm, "");
  const title = storyHeading.exec(prose);
  const status = wordsAt(head, "status") ?? statusHeading.exec(prose)?.[1] ?? statusLine.exec(prose)?.[1];
  return {
    number: title ? numberOf(title[1], title[2], title[3]) : undefined,
    title: title?.[4]?.trim() || wordsAt(head, "title"),
    status: status?.replace(/[*_`]/g, "").trim() || undefined,
  };
}

/** Words that mean the story needs nothing more. */
export const isDone = (status: string | undefined) => /^(done|completed?|closed)\b/i.test(status ?? "");

/** Tasks that are not ticked, in order. */
export function openTasks(text: string) {
  const section = /^##\s+Tasks[^\n]*\n([\s\S]*?)(?=^##\s|$(?![\s\S]))/m.exec(text)?.[1] ?? "";
  return [...section.matchAll(/^[ \t]*[-*] \[ \] (.+)$/gm)].map(([, task]) => (task ?? "").trim());
}
