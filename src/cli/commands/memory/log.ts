// `throughline memory log`: one more entry of the daily log, or what the log says.
import { appendLog, authors, memoryTypes, readLogs } from "../../../memdir/index.ts";
import { defineCommand } from "../../command.ts";
import { dirArgument, here, savedReport } from "./context.ts";

export default defineCommand({
  args: {
    author: { type: "enum", options: [...authors], default: "user", description: "whose words they are" },
    type: { type: "enum", options: [...memoryTypes], description: "what kind of memory it could become" },
    ...dirArgument,
  },
  rest: "text",
  examples: [
    {
      line: "throughline memory log the vendor throttles DDL after six",
      does: "append it to the file of today",
    },
    { line: "throughline memory log", does: "every entry so far" },
  ],
  run({ args, rest }) {
    const { place } = here(args.dir);
    if (rest.length === 0) {
      const entries = readLogs(place);
      const lines = entries.map(({ day, time, author, text }) => `${day} ${time} (${author}) ${text}`);
      return { data: { entries }, text: lines.length === 0 ? "the log is empty" : lines.join("\n") };
    }
    const author = authors.find((each) => each === args.author) ?? "user";
    const type = memoryTypes.find((each) => each === args.type);
    const outcome = appendLog(place, {
      text: rest.join(" "),
      author,
      ...(type === undefined ? {} : { type }),
    });
    return savedReport(outcome);
  },
});
