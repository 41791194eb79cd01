// `throughline remember`: keeps one sentence as it was typed, as a memory of the project.

import { defined, isObject, ThroughlineError } from "../../../lib/index.ts";
import { memoryFromWords, memoryTypes, saveMemory, withReason } from "../../../memdir/index.ts";
import { choice, defineCommand, type Report, value } from "../../command.ts";
import { answerTo } from "../../confirm.ts";
import { isInteractive } from "../../terminal.ts";
import { dirArgument, memoryContext, savedReport } from "./read.ts";

/** The text with its reason, where it is a rule and both parts are known or answered. */
async function reasoned(text: string, why: string | undefined, how: string | undefined, isAsked: boolean) {
  const reason = why ?? (isAsked ? await answerTo("A rule is kept as feedback with its reason. Why?") : "");
  if (reason === "") return text;
  const application = how ?? (isAsked ? await answerTo("How is it applied?") : "");
  return application === "" ? text : withReason(text, reason, application);
}

/** What was saved, as which type, and how to change that. */
function reportFor(saved: Report, memory: ReturnType<typeof memoryFromWords>): Report {
  const { type, isGuessed, lacksReason } = memory;
  const file = isObject(saved.data) ? String(saved.data.file ?? "") : "";
  const lines =
    typeof saved.text === "string" || saved.text instanceof Uint8Array ? [String(saved.text)] : saved.text;
  const name = file.replace(/\.md$/, "");
  const edit = `throughline memory edit ${name} --type TYPE`;
  return {
    data: { ...(isObject(saved.data) ? saved.data : {}), type, guessed: isGuessed, lacksReason },
    text: [
      ...lines,
      lacksReason
        ? "type: project, because a rule without its reason is not kept as feedback; --why and --how say both"
        : `type: ${type}${isGuessed && name !== "" ? ` (a guess; \`${edit}\` changes it)` : ""}`,
    ],
  };
}

export const remember = defineCommand({
  rest: "text",
  args: {
    type: choice(memoryTypes, "its type, instead of a guess"),
    name: value("name", "its topic, instead of its first words"),
    why: value("reason", "why a rule is one"),
    how: value("text", "how a rule is applied"),
    surprising: value("text", "what could not have been looked up: the part to keep"),
    ...dirArgument,
  },
  examples: {
    'throughline remember "no deploys on Friday"': "the words as they are; the type is guessed and shown",
    'throughline remember "never mock" --why "it hid a bug" --how "use the container"': "a rule, as feedback",
  },
  async run({ args, rest }) {
    const words = rest.join(" ").trim();
    if (words === "")
      throw new ThroughlineError(
        "usage",
        "there is nothing to remember",
        'for example `throughline remember "no deploys on Friday"`',
      );
    const { place, instructions, root } = memoryContext(args.dir);
    const given = { type: args.type, name: args.name };
    const first = memoryFromWords(words, given);
    const isAsked = first.lacksReason && isInteractive() && !args.json;
    const text = first.lacksReason ? await reasoned(words, args.why, args.how, isAsked) : words;
    const memory = text === words ? first : memoryFromWords(text, { ...given, name: first.name });
    const { type, name, description, body } = memory;
    const request = {
      type,
      name,
      description,
      body,
      author: "user" as const,
      ...defined({ surprising: args.surprising }),
    };
    return reportFor(savedReport(await saveMemory(place, request, { instructions, root })), memory);
  },
});
