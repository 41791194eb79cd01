// A story's file: which story it is, its title, and the status it gives itself, in every form that is met.

export interface StoryNumber {
  readonly epic: number;
  readonly story: number;
  /** A story that was split has a letter. */
  readonly letter: string;
}

interface StoryFile {
  readonly number: StoryNumber | undefined;
  readonly title: string | undefined;
  readonly status: string | undefined;
}

export const storyLabel = ({ epic, story, letter }: StoryNumber): string => `${epic}.${story}${letter}`;

export function byNumber(a: StoryNumber, b: StoryNumber): number {
  return a.epic - b.epic || a.story - b.story || (a.letter < b.letter ? -1 : a.letter > b.letter ? 1 : 0);
}

const numberOf = (epic = "", story = "", letter = ""): StoryNumber => ({
  epic: Number(epic),
  story: Number(story),
  letter: letter.toLowerCase(),
});

/** `1.4.title.md`, `1.4.story.md`, `story-1.4-title.md`, `1-4-title.md`. */
export function numberInName(name: string): StoryNumber | undefined {
  const match = /^(?:story[-.])?(\d+)[.-](\d+)([a-z]?)(?:[.-].*)?\.md$/i.exec(name);
  return match ? numberOf(match[1], match[2], match[3]) : undefined;
}

const heading = /^#\s+Story\s+(\d+)[.-](\d+)([a-z]?)\s*[:：-]?\s*(.*)$/im;
/** `Status: x`, `**Status:** x`, `## Status` with the word on one of the next lines, and frontmatter. */
const statusLine = /^[ \t>*_-]*Status[*_ \t]*[:：][*_ \t]*(\S.*?)[*_ \t]*$/im;
const statusHeading = /^#{1,4}\s+Status\s*$\s*^(?!#)[ \t>*_-]*(\S.*?)[*_ \t]*$/im;

export function readStory(text: string): StoryFile {
  const prose = text.replace(/^(`{3,}|~{3,})[\s\S]*?^\1\s*$/gm, "");
  const title = heading.exec(prose);
  const status = statusHeading.exec(prose)?.[1] ?? statusLine.exec(prose)?.[1];
  return {
    number: title ? numberOf(title[1], title[2], title[3]) : undefined,
    title: title?.[4]?.trim() || undefined,
    status: status?.replace(/[*_`]/g, "").trim() || undefined,
  };
}

/** Words that mean the story needs nothing more. */
export const isDone = (status: string | undefined): boolean =>
  /^(done|completed?|closed)\b/i.test(status ?? "");

/** Tasks that are not ticked, in order. */
export function openTasks(text: string): string[] {
  const section = /^##\s+Tasks[^\n]*\n([\s\S]*?)(?=^##\s|$(?![\s\S]))/m.exec(text)?.[1] ?? "";
  return [...section.matchAll(/^[ \t]*[-*] \[ \] (.+)$/gm)].map(([, task]) => (task ?? "").trim());
}
