// What a project's own page (CLAUDE.md) says about how its conversations are to be summed up.
import { firstCharacters } from "../lib/index.ts";

const wanted = /^(?:(?:auto-?)?compact(?:ion)?|summar(?:y|ies|ization|isation|izing|ising)) instructions?$/i;
const wantedChinese = /^(?:上下文)?(?:压缩|摘要|总结)(?:说明|指令|要求|指引)$/;
const heading = /^ {0,3}(#{1,6})[ \t]+(.+?)[ \t]*#*[ \t]*$/;
const fence = /^ {0,3}(`{3,}|~{3,})/;

/** A page may grow without bound; what a summary call takes from it does not. */
const LONGEST = 8_000;

/** The text of every section such as "## Compact Instructions", or an empty string. */
export function compactInstructions(page: string): string {
  const sections: string[][] = [];
  let open: { readonly level: number; readonly lines: string[] } | undefined;
  let fenced = "";
  for (const line of page.split(/\r?\n/)) {
    const mark = fence.exec(line)?.[1] ?? "";
    const title = fenced === "" && mark === "" ? heading.exec(line) : null;
    if (mark !== "") fenced = fenceAfter(fenced, mark);
    if (title) {
      const level = title[1]?.length ?? 0;
      // Deeper headings belong to the section they stand in.
      if (open && level <= open.level) open = undefined;
      if (!open && isWanted(title[2] ?? "")) {
        open = { level, lines: [] };
        sections.push(open.lines);
        continue;
      }
    }
    open?.lines.push(line);
  }
  return cutAtLine(
    sections
      .map((lines) => lines.join("\n").trim())
      .filter(Boolean)
      .join("\n\n"),
  );
}

/** A fence ends with at least as many of the same characters. */
function fenceAfter(fenced: string, mark: string) {
  if (fenced === "") return mark;
  return mark.startsWith(fenced) ? "" : fenced;
}

function isWanted(title: string) {
  const plain = title.replace(/[*_`:：]/g, "").trim();
  return wanted.test(plain) || wantedChinese.test(plain);
}

function cutAtLine(text: string) {
  if (text.length <= LONGEST) return text;
  const end = text.lastIndexOf("\n", LONGEST);
  return firstCharacters(text, end > 0 ? end : LONGEST);
}
