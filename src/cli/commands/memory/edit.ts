// `throughline memory edit`: other words for a memory, unless it was changed since it was read.
import { isoTime, ThroughlineError } from "../../../lib/index.ts";
import { findMemory, memoryTypes, openFolder, saveMemory } from "../../../memdir/index.ts";
import { defineCommand } from "../../command.ts";
import { dirArgument, given, here, savedReport } from "./here.ts";

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
    const {
      type = memory.type,
      name = memory.name,
      description = memory.description,
      expires = memory.expires,
    } = args;
    const known = memoryTypes.find((each) => each === type);
    if (known === undefined)
      throw new ThroughlineError("usage", `${memory.file} has no type yet`, {
        fix: `give one: --type ${memoryTypes.join("|")}`,
      });
    const { session, turn, supersedes, created, author = "assistant" } = memory;
    const lastVerified = args.verified ? isoTime(Date.now()) : memory.lastVerified;
    const request = {
      ...{ name, description, type: known, author },
      body: args.body === undefined ? memory.body : await given(args.body),
      ...(expires === undefined ? {} : { expires }),
      ...(session === undefined ? {} : { session }),
      ...(turn === undefined ? {} : { turn }),
      ...(supersedes === undefined ? {} : { supersedes }),
    };
    const kept = {
      created: created ?? isoTime(memory.modifiedAt),
      ...(lastVerified === undefined ? {} : { lastVerified }),
    };
    const replace = { file: memory.file, hash: args["if-hash"] ?? memory.hash };
    return savedReport(await saveMemory(place, request, { instructions, replace, kept }));
  },
});
