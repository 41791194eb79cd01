// `throughline memory search`: memories first; past conversations are opened only when no memory answers.
import { ThroughlineError } from "../../../lib/index.ts";
import { isActive, openFolder, searchMemories } from "../../../memdir/index.ts";
import { defineCommand } from "../../command.ts";
import { dirArgument, here } from "./context.ts";
import { inConversations } from "./pastConversations.ts";

export default defineCommand({
  args: { ...dirArgument },
  rest: "query",
  examples: [
    { line: "throughline memory search deploy window", does: "memories that hold the words, best first" },
  ],
  async run({ args, rest }) {
    const query = rest.join(" ").trim();
    if (query === "")
      throw new ThroughlineError("usage", "search needs words", { fix: "throughline memory search WORDS" });
    const { memories } = await openFolder(here(args.dir).place);
    const outcome = await searchMemories(memories, query, inConversations);
    if (outcome.from === "elsewhere") {
      const lines = outcome.matches.map(({ session, text }) => `${session.slice(0, 8)}: ${text}`);
      const text =
        lines.length === 0 ? "nothing was found" : `no memory; in past conversations:\n${lines.join("\n")}`;
      return { data: outcome, text };
    }
    const now = Date.now();
    const found = outcome.matches.map(({ memory, score, lines }) => ({
      ...{ file: memory.file, score, lines, isActive: isActive(memory, now) },
    }));
    // What no longer holds is found as well, behind what does.
    const matches = [...found.filter((each) => each.isActive), ...found.filter((each) => !each.isActive)];
    const text = matches.flatMap(({ file, lines, isActive: holds }) =>
      lines.map(({ line, text: words }) => `${file}:${line}:${holds ? "" : " (no longer valid)"} ${words}`),
    );
    return { data: { from: "memories", matches }, text: text.join("\n") };
  },
});
