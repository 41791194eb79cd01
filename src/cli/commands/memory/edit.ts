// `throughline memory edit`: other words for a memory, unless it was changed since it was read.
import { editMemory, findMemory, memoryTypes, openFolder } from "../../../memdir/index.ts";
import { defineCommand } from "../../command.ts";
import { dirArgument, given, here, savedReport } from "./context.ts";

export default defineCommand({
  args: {
    file: { type: "positional", required: true, description: "its file, its name, or the beginning of it" },
    type: { type: "enum", options: [...memoryTypes], description: "another type" },
    name: { type: "string", description: "another name; the file keeps its own" },
    description: { type: "string", description: "another line for the index" },
    body: {
      type: "string",
      valueHint: "TEXT|-",
      description: "another text; - reads it from standard input",
    },
    expires: { type: "string", valueHint: "date", description: "until when it matters" },
    verified: { type: "boolean", description: "you have just seen that it still holds" },
    "if-hash": { type: "string", valueHint: "sha256", description: "only if it is still what you have read" },
    ...dirArgument,
  },
  examples: [
    { line: "throughline memory edit release-freeze --verified", does: "say that it still holds" },
    {
      line: 'throughline memory edit release-freeze --body "Merges stop on 2026-03-12."',
      does: "another text",
    },
  ],
  async run({ args }) {
    const { place, instructions } = here(args.dir);
    const memory = findMemory(await openFolder(place), args.file);
    const { name, description, expires, verified: isVerified } = args;
    const outcome = await editMemory(
      place,
      {
        ...{
          file: memory.file,
          hash: args["if-hash"] ?? memory.hash,
          name,
          description,
          expires,
          isVerified,
        },
        type: memoryTypes.find((each) => each === args.type),
        body: args.body === undefined ? undefined : await given(args.body),
      },
      { instructions },
    );
    return savedReport(outcome);
  },
});
