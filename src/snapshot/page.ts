// The file that holds the block: read and rewritten without disturbing anything else about it, or left alone with a reason.

import { lstatSync, readFileSync, realpathSync, rmSync } from "node:fs";
import path from "node:path";
import { HOUR, look, removeAbandoned, replaceFile, type Seen, systemErrorCode } from "../lib/index.ts";
import {
  type NewReference,
  type PlaceProblem,
  type Reference,
  readReference,
  withoutReference,
  withReference,
} from "./block.ts";

/** Files that may hold the block, in the folder of the project. */
export const pages = ["CLAUDE.md", "CLAUDE.local.md"] as const;

export type Page = (typeof pages)[number];

type PageProblem =
  | PlaceProblem
  | "not-a-file"
  | "leads-away"
  | "read-only"
  | "hard-linked"
  | "too-large"
  | "busy"
  | "io-failed";

/** Why a page is left alone, in words. */
export const pageProblems: Readonly<Record<PageProblem, string>> = {
  "half-block": "it holds the beginning or the end of a snapshot block without the other half",
  "frontmatter-only": "it holds nothing but frontmatter that has no line end",
  "not-utf8": "it is not UTF-8 text",
  "not-a-file": "it is no plain file",
  "leads-away": "it is a link out of the project to a file that is not Markdown",
  "read-only": "it is read-only",
  "hard-linked": "it has several hard links, which replacing it would part",
  "too-large": "it would be larger than the 4 MiB that Claude Code reads",
  busy: "another program keeps writing it",
  "io-failed": "the system refused to read or write it",
};

export type PageOutcome = { readonly changed: boolean } | { readonly refused: PageProblem };

const MOST_PAGE_BYTES = 4 * 1024 * 1024;
const PAGE_ATTEMPTS = 5;
/** What git gives its files: the page belongs to the project and is no secret. */
const NEW_PAGE_MODE = 0o644;

interface OpenedPage {
  /** Where a link leads. */
  readonly real: string;
  /** Undefined when there is no file. */
  readonly seen: Seen | undefined;
  readonly text: string | undefined;
}

/** A project that was downloaded may have a link to anything of the person's; their own links lead to Markdown. */
function leadsAway(file: string, real: string) {
  const inside = path.relative(realpathSync(path.dirname(file)), real);
  return (inside.startsWith("..") || path.isAbsolute(inside)) && !/\.(?:md|markdown)$/i.test(real);
}

function openPage(file: string): OpenedPage | { readonly refused: PageProblem } {
  if (!lstatSync(file, { throwIfNoEntry: false })) return { real: file, seen: undefined, text: undefined };
  const real = realpathSync(file);
  if (leadsAway(file, real)) return { refused: "leads-away" };
  const seen = look(real);
  if (!seen?.isFile()) return { refused: "not-a-file" };
  if (seen.size > BigInt(MOST_PAGE_BYTES)) return { refused: "too-large" };
  return { real, seen, text: readFileSync(real, "latin1") };
}

function writeProblem(seen: Seen | undefined): PageProblem | undefined {
  if (!seen) return undefined;
  // The mode decides, not the system: root could write a read-only file too.
  if ((seen.mode & 0o222n) === 0n) return "read-only";
  return seen.nlink > 1n ? "hard-linked" : undefined;
}

/** Undefined removes the file. */
type PageEdit = (
  text: string | undefined,
) => { readonly text: string | undefined } | { readonly refused: PageProblem };

function editOnce(file: string, edit: PageEdit): PageOutcome | "changed-meanwhile" {
  const opened = openPage(file);
  if ("refused" in opened) return opened;
  const edited = edit(opened.text);
  if ("refused" in edited) return edited;
  if (edited.text === opened.text) return { changed: false };
  const problem = writeProblem(opened.seen);
  if (problem !== undefined) return { refused: problem };
  if (edited.text === undefined) {
    rmSync(file, { force: true });
    return { changed: true };
  }
  const bytes = Buffer.from(edited.text, "latin1");
  if (bytes.length > MOST_PAGE_BYTES) return { refused: "too-large" };
  return replaceFile(opened.real, bytes, opened.seen, NEW_PAGE_MODE)
    ? { changed: true }
    : "changed-meanwhile";
}

function editPage(file: string, edit: PageEdit): PageOutcome {
  try {
    for (let attempt = 0; attempt < PAGE_ATTEMPTS; attempt++) {
      const outcome = editOnce(file, edit);
      if (outcome !== "changed-meanwhile") return outcome;
    }
    return { refused: "busy" };
  } catch (error) {
    // A page that cannot be written is no reason to lose the snapshot; anything else is a mistake of ours.
    if (systemErrorCode(error) === undefined) throw error;
    return { refused: systemErrorCode(error) === "ENOENT" ? "not-a-file" : "io-failed" };
  }
}

/** Puts the block in, in place of any that is there. Makes the file where there is none. */
export function addReference(folder: string, page: Page, reference: NewReference): PageOutcome {
  return editPage(path.join(folder, page), (text) => withReference(text, reference));
}

/** Takes the block out; a file that was made for it goes with it. */
export function removeReference(folder: string, page: Page): PageOutcome {
  return editPage(path.join(folder, page), (text) => ({
    text: text === undefined ? undefined : withoutReference(text),
  }));
}

/** What the page's block says; undefined where there is none, or no page that can be read. */
export function referenceIn(folder: string, page: Page): Reference | undefined {
  try {
    const opened = openPage(path.join(folder, page));
    return "refused" in opened || opened.text === undefined
      ? undefined
      : readReference(opened.text).reference;
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    return undefined;
  }
}

/** Removes what killed writers left beside the page. */
export function tidyPage(folder: string, page: Page, now: number) {
  const file = path.join(folder, page);
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  removeAbandoned(isLink && look(file) ? realpathSync(file) : file, now);
}

interface ExpiredReferences {
  readonly removed: readonly Page[];
  /** When the next block expires, in milliseconds since the epoch; undefined where none is left that will. */
  readonly next: number | undefined;
}

/** The snapshot's file stays: the next session's start says what became of it. */
export function expireReferences(project: string, now: number, hours: number): ExpiredReferences {
  const blocks = pages.flatMap((page) => {
    const at = referenceIn(project, page)?.at;
    return at === undefined ? [] : [{ page, expires: at + hours * HOUR }];
  });
  const removed = blocks
    .filter(({ expires }) => expires <= now)
    .filter(({ page }) => {
      const outcome = removeReference(project, page);
      return "changed" in outcome && outcome.changed;
    });
  const waiting = blocks.flatMap(({ expires }) => (expires > now ? [expires] : []));
  return {
    removed: removed.map(({ page }) => page),
    next: waiting.length === 0 ? undefined : Math.min(...waiting),
  };
}
