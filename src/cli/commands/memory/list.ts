// `throughline memory list`: what is remembered of this project, or what waits for review.

import {
  isActive,
  listQuarantine,
  memoryTypes,
  openFolder,
  type Quarantined,
  standingLine,
} from "../../../memdir/index.ts";
import { defineCommand } from "../../command.ts";
import { columns } from "../../output.ts";
import { paint } from "../../terminal.ts";
import { localMinute } from "../../wording.ts";
import { dirArgument, here } from "./context.ts";

/** Whole: whoever lets it through has to have read it. */
function waitingText({ id, at, request, suspicions, destination }: Quarantined): string {
  const { type, author, name, description, body, surprising = "" } = request;
  const where = destination === undefined || destination.kind === "log" ? "" : ` for ${destination.file}`;
  const reasons = suspicions.map(({ kind, evidence }) => `${kind}: ${JSON.stringify(evidence)}`).join("; ");
  const words = [`${name} — ${description}`, body, surprising].filter((text) => text.trim() !== "");
  return [
    `${id}  ${type} by ${author}${where}, ${localMinute(at)}`,
    `  ${paint("yellow", reasons)}`,
    words.join("\n").replace(/^/gm, "  | "),
  ].join("\n");
}

export default defineCommand({
  args: {
    type: { type: "enum", options: [...memoryTypes], description: "only this type" },
    all: { type: "boolean", description: "also those that were superseded or have expired" },
    quarantine: { type: "boolean", description: "texts that wait for you to read them" },
    ...dirArgument,
  },
  examples: [
    { line: "throughline memory list", does: "every memory that holds" },
    { line: "throughline memory list --quarantine", does: "what was put aside, and why" },
  ],
  async run({ args }) {
    const { place, language } = here(args.dir);
    if (args.quarantine) {
      const waiting = listQuarantine(place);
      const text = waiting.map(waitingText).join("\n\n") || "nothing waits for review";
      return { data: { quarantine: waiting }, text };
    }
    const { memories, unreadable, size } = await openFolder(place);
    const now = Date.now();
    const shown = memories.filter(
      (memory) =>
        (args.all || isActive(memory, now)) && (args.type === undefined || memory.type === args.type),
    );
    const rows = shown.map((memory) => [
      memory.type ?? "?",
      memory.file,
      memory.description,
      paint("dim", standingLine(memory, now, language)),
    ]);
    const listed = shown.map(({ text: _, ...memory }) => memory);
    return {
      data: { folder: place.folder, isClaudes: place.isClaudes, memories: listed, unreadable, index: size },
      text: rows.length === 0 ? `no memories in ${place.folder}` : columns(rows),
    };
  },
});
