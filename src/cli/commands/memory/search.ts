// `throughline memory search`: memories first; past conversations are opened only when no memory answers.
import { archiveFolder, listArchives, readArchive } from "../../../archive/index.ts";
import { projectOf } from "../../../lib/index.ts";
import { openFolder, searchMemories } from "../../../memdir/index.ts";
import { defineCommand } from "../../command.ts";
import { currentConfig, surroundings } from "../../surroundings.ts";
import { dirArgument, here } from "./here.ts";

const MOST_ELSEWHERE = 20;

interface Line {
  readonly session: string;
  readonly line: number;
  readonly text: string;
}

/** Lines of this project's archived conversations that hold every word, newest conversation first. */
function inArchives(query: string): Line[] {
  const { home, cwd } = surroundings();
  const { archive } = currentConfig().values;
  const words = query.toLowerCase().split(/\s+/);
  const found: Line[] = [];
  for (const archived of listArchives(archiveFolder(archive, home), {
    group: archive.group || projectOf(cwd).id,
  })) {
    for (const [at, text] of readArchive(archived).split("\n").entries())
      if (words.every((word) => text.toLowerCase().includes(word)))
        found.push({ session: archived.session, line: at + 1, text: text.slice(0, 300) });
    if (found.length >= MOST_ELSEWHERE) break;
  }
  return found.slice(0, MOST_ELSEWHERE);
}

export default defineCommand({
  args: { ...dirArgument },
  rest: "query",
  examples: [
    { line: "throughline memory search deploy window", does: "memories that hold the words, best first" },
  ],
  async run({ args, rest }) {
    const { place } = here(args.dir);
    const { memories } = await openFolder(place);
    const outcome = await searchMemories(memories, rest.join(" "), inArchives);
    if (outcome.from === "elsewhere") {
      const lines = outcome.matches.map(
        ({ session, line, text }) => `${session.slice(0, 8)}:${line}: ${text}`,
      );
      const text =
        lines.length === 0 ? "nothing was found" : `no memory; in past conversations:\n${lines.join("\n")}`;
      return { data: outcome, text };
    }
    const matches = outcome.matches.map(({ memory, score, lines }) => ({ file: memory.file, score, lines }));
    const text = matches.flatMap(({ file, lines }) =>
      lines.map(({ line, text: words }) => `${file}:${line}: ${words}`),
    );
    return { data: { from: "memories", matches }, text: text.join("\n") };
  },
});
