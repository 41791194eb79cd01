// The page a session's notes are written on: ten sections that never change, and what is written under them.

export const noteSections = [
  "Session Title",
  "Current State",
  "Task specification",
  "Files and Functions",
  "Workflow",
  "Errors & Corrections",
  "Codebase and System Documentation",
  "Learnings",
  "Key results",
  "Worklog",
] as const;

export type NoteSection = (typeof noteSections)[number];

/** What stands under each heading, without headings and guidance. */
export type Notes = Readonly<Record<NoteSection, string>>;

/** One line under each heading that says what belongs there. A model that writes notes must not change it. */
const guidance: Readonly<Record<NoteSection, string>> = {
  "Session Title": "_Five to ten words that name this session and no other; no filler_",
  "Current State": "_What is being done right now, what is not finished yet, and the very next step_",
  "Task specification": "_What the user wants built, with the decisions and explanations that shape it_",
  "Files and Functions": "_The files that matter: what each one holds and why it is needed_",
  Workflow: "_Commands that are run again and again, in which order, and how to read their output_",
  "Errors & Corrections":
    "_Errors that came up and how they were fixed, what the user corrected, and what not to try again_",
  "Codebase and System Documentation": "_The important parts of the system and how they work together_",
  Learnings: "_What worked, what did not, what to avoid; nothing that another section already says_",
  "Key results":
    "_Whatever the user asked to be given, such as an answer, a table or a document, word for word_",
  Worklog: "_Step by step, what was tried and done, each step in as few words as possible_",
};

/** A heading with the guidance that follows it. */
export function sectionHead(section: NoteSection) {
  return `# ${section}\n${guidance[section]}`;
}

const sectionOf = new Map<string, NoteSection>(noteSections.map((section) => [`# ${section}`, section]));

/** Every section, filled by its name. */
export function makeNotes(bodyOf: (section: NoteSection) => string): Notes {
  return Object.fromEntries(noteSections.map((section) => [section, bodyOf(section)])) as Notes;
}

const noteLines = (text: string) => text.split(/\r?\n/);

function withoutBlankEnds(lines: readonly string[]) {
  const isWritten = (line: string) => line.trim() !== "";
  return lines.slice(lines.findIndex(isWritten), lines.findLastIndex(isWritten) + 1).join("\n");
}

/**
 * What stands under the headings, however a person may have changed the page: sections may be missing or moved, and
 * words in front of the first are taken as learnings rather than lost.
 */
export function parseNotes(text: string): Notes {
  const found = new Map<NoteSection, string[]>();
  let open: string[] = [];
  found.set("Learnings", open);
  let expected: string | undefined;
  for (const line of noteLines(text)) {
    const section = sectionOf.get(line.trimEnd());
    if (section !== undefined) {
      open = found.get(section) ?? [];
      found.set(section, open);
      expected = guidance[section];
    } else {
      if (line.trimEnd() !== expected) open.push(line);
      expected = undefined;
    }
  }
  return makeNotes((section) => withoutBlankEnds(found.get(section) ?? []));
}

/** The whole page. A line of content that reads like one of the headings is indented, so that it is none. */
export function renderNotes(notes: Notes) {
  const parts = noteSections.map((section) => {
    const lines = noteLines(notes[section]).map((line) =>
      sectionOf.has(line.trimEnd()) ? `  ${line}` : line,
    );
    const body = withoutBlankEnds(lines);
    return `${sectionHead(section)}\n${body === "" ? "" : `\n${body}\n`}`;
  });
  return parts.join("\n");
}

/** True as long as nothing is written under any heading. */
export function isEmptyTemplate(text: string) {
  const notes = parseNotes(text);
  return noteSections.every((section) => notes[section] === "");
}

/** What is wrong with a page's headings and guidance; undefined when all of them are as they were. */
export function templateProblem(text: string) {
  const lines = noteLines(text);
  const headings = lines.flatMap((line, at) => {
    const section = sectionOf.get(line);
    return section === undefined ? [] : [{ section, at }];
  });
  const first = headings[0]?.at ?? lines.length;
  if (lines.slice(0, first).some((line) => line.trim() !== ""))
    return "there is text in front of the first section";
  for (const [index, section] of noteSections.entries()) {
    const heading = headings[index];
    if (heading?.section !== section) {
      const others = headings.some((other) => other.section === section);
      return `the section ${section} is ${others ? "not in its place" : "missing"}`;
    }
    if (lines[heading.at + 1] !== guidance[section]) return `the guidance of ${section} was changed`;
  }
  const extra = headings[noteSections.length];
  return extra && `the section ${extra.section} is there twice`;
}

export type Acceptance =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: string };

/** Takes an update that left headings and guidance alone and brought Current State up to date. */
export function acceptUpdate(old: string, updated: string): Acceptance {
  const problem = templateProblem(updated) ?? stateProblem(parseNotes(old), parseNotes(updated));
  return problem === undefined
    ? { ok: true, text: renderNotes(parseNotes(updated)) }
    : { ok: false, problem };
}

function stateProblem(old: Notes, updated: Notes) {
  const state = updated["Current State"];
  if (state === "") return "Current State is empty";
  return state === old["Current State"] ? "Current State was not brought up to date" : undefined;
}
