// `throughline share`: lets others of the team see one item, or takes that back.
import { workerSocket } from "../../../home/index.ts";
import { call } from "../../../ipc/index.ts";
import { SECOND } from "../../../lib/index.ts";
import type { Shared } from "../../../remote/index.ts";
import { choice, defineCommand, flag, operand } from "../../command.ts";
import { confirmed } from "../../confirm.ts";
import { commandContext } from "../../context.ts";
import { ensureWorker } from "../../runningWorker.ts";

const ANSWER_TIMEOUT_MS = 120 * SECOND;
const visibilities = { team: "team", project: "project", me: "private" } as const;

function preview({ ref, text, readers, visibility }: Shared) {
  if (visibility === "private") return [`${ref} will be seen by you alone again.`];
  const who = readers.length === 0 ? "no other person yet" : readers.join(", ");
  return [`${ref} will be seen by: ${who}`, "", text, ""];
}

const share = defineCommand({
  args: {
    id: operand("an observation or a summary: '#12' or S3, as search prints it"),
    with: choice(["team", "project", "me"], "who sees it; `me` takes it back", "team"),
    yes: flag("share it without asking", { short: "y" }),
    "dry-run": flag("show what would be seen by whom"),
  },
  examples: {
    "throughline share '#12'": "shows the text and who will see it, and asks",
    "throughline share '#12' --with project": "only people who see the project",
    "throughline share '#12' --with me": "take it back, from every machine",
  },
  async run({ args }) {
    const context = commandContext();
    await ensureWorker(context);
    const ask = async (carryOut: boolean) =>
      (await call(workerSocket(context.home), "share", {
        args: { ref: args.id, visibility: visibilities[args.with], carryOut },
        timeoutMs: ANSWER_TIMEOUT_MS,
      })) as Shared;
    const shown = await ask(false);
    const lines = preview(shown);
    if (args["dry-run"]) return { data: shown, text: lines };
    const question = args.with === "me" ? "Take it back?" : "Share it?";
    if (!(await confirmed({ details: lines.join("\n"), question, yes: args.yes, json: args.json })))
      return { data: shown, text: "Nothing was changed." };
    const done = await ask(true);
    const ending =
      args.with === "me"
        ? "Taken back: it goes from the machines of the others when they exchange next."
        : `Shared. \`throughline share '${args.id}' --with me\` takes it back.`;
    return { data: done, text: [...preview(done), ending] };
  },
});

export default { share };
