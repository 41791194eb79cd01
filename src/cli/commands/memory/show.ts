// `throughline memory show`: one memory, with what of it no longer holds and how to verify the rest.
import {
  checkMemory,
  findMemory,
  openFolder,
  staleBanner,
  standingLine,
  trustSection,
} from "../../../memdir/index.ts";
import { defineCommand } from "../../command.ts";
import { dirArgument, here, repositoryOf } from "./context.ts";

export default defineCommand({
  args: {
    name: { type: "positional", required: true, description: "its file, its name, or the beginning of it" },
    ...dirArgument,
  },
  examples: [
    { line: "throughline memory show release-freeze", does: "the memory, its age, and what went stale" },
  ],
  async run({ args }) {
    const own = here(args.dir);
    const memory = findMemory(await openFolder(own.place), args.name);
    const verdict = checkMemory(memory, repositoryOf(own));
    const banner = staleBanner(verdict, own.language);
    const parts = [
      `# ${memory.name || memory.file}`,
      `${memory.type ?? "?"} · ${memory.description}\n${standingLine(memory, Date.now(), own.language)}`,
      ...(banner === undefined ? [] : [banner.trimEnd()]),
      memory.body,
      trustSection(own.language).trimEnd(),
    ];
    return { data: { ...memory, verdict }, text: `${parts.join("\n\n")}\n` };
  },
});
