// A memory without the lines that are for programs.

/** Everything below the frontmatter; the whole text when there is none. */
export function bodyOf(text: string): string {
  return text.replace(/^\uFEFF?---\r?\n[\s\S]*?\r?\n---[ \t]*(?:\r?\n|$)/, "").trim();
}
