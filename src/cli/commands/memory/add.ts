// `throughline memory add`: one memory, judged before it is saved.
import { ThroughlineError } from "../../../lib/index.ts";
import { appendLog, approveQuarantined, authors, memoryTypes, saveMemory } from "../../../memdir/index.ts";
import { defineCommand } from "../../command.ts";
import { dirArgument, given, here, savedReport } from "./context.ts";

const needed = (flag: string, value: string | undefined): string => {
  if (value !== undefined) return value;
  throw new ThroughlineError("usage", `--${flag} is missing`, {
    fix: "`throughline memory add --help` shows what it takes",
  });
};

export default defineCommand({
  args: {
    type: { type: "enum", options: [...memoryTypes], description: "what kind of memory" },
    name: { type: "string", description: "what it is about, in a few words" },
    description: {
      type: "string",
      valueHint: "line",
      description: "one specific line; a session decides by it whether to read on",
    },
    body: { type: "string", valueHint: "TEXT|-", description: "the fact; - reads it from standard input" },
    author: { type: "enum", options: [...authors], default: "user", description: "whose words they are" },
    session: { type: "string", valueHint: "id", description: "the session it comes from" },
    turn: { type: "string", description: "the turn it comes from" },
    expires: { type: "string", valueHint: "date", description: "until when it matters" },
    supersedes: { type: "string", valueHint: "file", description: "the memory that it replaces" },
    surprising: {
      type: "string",
      valueHint: "text",
      description: "what nobody could have looked up: the part to keep",
    },
    confirm: {
      type: "string",
      valueHint: "id",
      description: "let a text out of quarantine; --name and --surprising may go with it",
    },
    ...dirArgument,
  },
  examples: [
    {
      line: 'throughline memory add --type project --name Freeze --description "of the release" --body Friday',
      does: "relative dates become absolute",
    },
    {
      line: "throughline memory add --type feedback --name N --description D --body -",
      does: "the body from standard input",
    },
    {
      line: "throughline memory add --confirm qua_0m8x",
      does: "save what was put aside, after you have read it",
    },
  ],
  async run({ args }) {
    const { place, instructions, mode } = here(args.dir);
    if (args.confirm !== undefined)
      return savedReport(
        await approveQuarantined(place, args.confirm, {
          ...{ instructions, name: args.name, surprising: args.surprising },
        }),
      );
    const type = memoryTypes.find((each) => each === needed("type", args.type)) ?? "project";
    const body = await given(needed("body", args.body));
    const author = authors.find((each) => each === args.author) ?? "user";
    const [name, description] = [needed("name", args.name), needed("description", args.description)];
    if (mode === "log")
      return savedReport(appendLog(place, { text: `${name} (${description}): ${body}`, author, type }));
    const { session, turn, expires, supersedes, surprising } = args;
    const request = {
      ...{ name, description, type, body, author },
      ...(session === undefined ? {} : { session }),
      ...(turn === undefined ? {} : { turn }),
      ...(expires === undefined ? {} : { expires }),
      ...(supersedes === undefined
        ? {}
        : { supersedes: [supersedes.endsWith(".md") ? supersedes : `${supersedes}.md`] }),
      ...(surprising === undefined ? {} : { surprising }),
    };
    return savedReport(await saveMemory(place, request, { instructions }));
  },
});
