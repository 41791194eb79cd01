// `throughline pin`: keeps a turn of a conversation in its window, through cuts and compactions.
import { workerSocket } from "../../home/index.ts";
import { ask } from "../../ipc/index.ts";
import { defined, notFoundError, SECOND, usageError } from "../../lib/index.ts";
import { transcriptTurns, turnsAnswer } from "../../tools/index.ts";
import { readConversation } from "../../transcript/index.ts";
import { defineCommand, flag, operand, optional } from "../command.ts";
import { commandContext, currentConfig } from "../context.ts";

const ASK_MS = 5 * SECOND;
const SHOWN = 80;

interface Turn {
  readonly tag: string;
  readonly text: string;
}

const shown = ({ text }: Turn) => text.replace(/\s+/g, " ").trim().slice(0, SHOWN);

/** The newest turn, the one of that tag, or the newest that has all words. */
function chosen(turns: readonly Turn[], which: string) {
  const words = which.toLowerCase().split(/\s+/);
  const found =
    which === ""
      ? turns.at(-1)
      : (turns.find(({ tag }) => tag === which) ??
        turns.findLast(({ text }) => words.every((word) => text.toLowerCase().includes(word))));
  if (found) return found;
  if (turns.length === 0)
    throw notFoundError("this conversation has no turn yet", "pin one after it has begun");
  const last = turns.slice(-5).map((turn) => `${turn.tag} "${shown(turn)}"`);
  throw notFoundError(`no turn has "${which}"`, `name one by its words or its tag: ${last.join(", ")}`);
}

const pin = defineCommand({
  args: {
    file: operand("the transcript of the session"),
    which: optional("words of the turn, or its tag; the newest one without"),
    undo: flag("let the turn be cut again"),
  },
  examples: {
    "throughline pin session.jsonl": "keep the newest turn",
    "throughline pin session.jsonl 'release plan'": "keep the newest turn with these words",
    "throughline pin session.jsonl 'release plan' --undo": "let it be cut again",
  },
  async run({ args }) {
    const { home, cwd } = commandContext();
    const { model, models } = currentConfig().values;
    const conversation = await readConversation(args.file);
    const { sessionId: session } = conversation;
    if (session === undefined) throw usageError(`${args.file} names no session`);
    const folder = conversation.cwd ?? cwd;
    const asked = async (more: { readonly ids?: string[]; readonly isPinned?: boolean }) => {
      const request = { session, folder, ...more };
      // The tags of a live window are its own: it is asked first.
      const reply = await ask(workerSocket(home), "turns", { args: request, timeoutMs: ASK_MS });
      const live = turnsAnswer.parse((typeof reply === "object" && reply.ok && reply.data) || {});
      if (live.turns || live.answer) return live;
      return transcriptTurns({ home, folder, session, transcript: args.file, model, models }, request);
    };
    const turn = chosen((await asked({})).turns ?? [], args.which ?? "");
    await asked({ ids: [turn.tag], isPinned: !args.undo });
    const does = args.undo ? "no longer pinned" : "pinned";
    return {
      data: defined({ session, tag: turn.tag, text: turn.text, pinned: !args.undo }),
      text: `${does}: ${turn.tag} "${shown(turn)}"`,
    };
  },
});

export default { pin };
