// Lets a text out of quarantine, to where it was on its way: a person has read it.
import { systemClock, ThroughlineError } from "../../lib/index.ts";
import { commitEdits } from "../folder/commit.ts";
import { writeLogEntry } from "../folder/dailyLogs.ts";
import { readMemory } from "../folder/frontmatter.ts";
import type { MemoryChange } from "../folder/journal.ts";
import type { MemoryPlace } from "../folder/model.ts";
import { lineFor } from "../folder/store.ts";
import { confirmBody, type Destination, type Quarantined } from "./quarantine.ts";
import { type SaveMemoryOptions, type SaveOutcome, type SaveRequest, saveSeen } from "./save.ts";
import { neutralizeMarkup } from "./screen.ts";

export type ConfirmOutcome =
  | SaveOutcome
  /** A whole file, as the memory tool writes them or as lint took one away. */
  | { readonly outcome: "written"; readonly file: string; readonly change: MemoryChange }
  | { readonly outcome: "logged"; readonly file: string };

export interface ConfirmOptions extends Pick<SaveMemoryOptions, "clock" | "timeZone" | "instructions"> {
  /** Another name, where there is a memory of its own already. */
  readonly name?: string | undefined;
  /** What nobody could have looked up, where the rest is refused for that it can be. */
  readonly surprising?: string | undefined;
}

/** Marks that would speak for somebody else are made visible words. What is not saved goes on waiting. */
export async function confirmQuarantined(
  place: MemoryPlace,
  entry: Quarantined,
  { name, surprising, ...options }: ConfirmOptions = {},
): Promise<ConfirmOutcome> {
  const { destination } = entry;
  const request = neutralizeRequest({
    ...entry.request,
    ...(name === undefined ? {} : { name }),
    ...(surprising === undefined ? {} : { surprising }),
  });
  if (destination?.kind === "file")
    return await writeConfirmedFile(place, entry, destination, request.body, options);
  if (destination?.kind === "log") {
    const { type } = destination;
    const file = writeLogEntry(
      place,
      { text: request.body, author: request.author, ...(type && { type }) },
      options,
    );
    confirmBody(place, entry, request.body);
    return { outcome: "logged", file };
  }
  const replacing =
    destination === undefined
      ? {}
      : {
          replace: { file: destination.file, hash: destination.hash },
          ...(destination.kept && { kept: destination.kept }),
        };
  const outcome = await saveSeen(place, request, { ...options, ...replacing });
  if (outcome.outcome === "saved") confirmBody(place, entry, outcome.memory.body);
  return outcome;
}

function neutralizeRequest(request: SaveRequest): SaveRequest {
  return {
    ...request,
    name: neutralizeMarkup(request.name),
    description: neutralizeMarkup(request.description),
    body: neutralizeMarkup(request.body),
    ...(request.surprising === undefined ? {} : { surprising: neutralizeMarkup(request.surprising) }),
  };
}

async function writeConfirmedFile(
  place: MemoryPlace,
  entry: Quarantined,
  { file, hash }: Extract<Destination, { kind: "file" }>,
  text: string,
  { clock = systemClock }: ConfirmOptions,
): Promise<ConfirmOutcome> {
  const edit = { file, text, expect: hash ?? undefined, ...lineFor(file, text) };
  const change = await commitEdits(place, "confirm", () => [edit], clock);
  if (change === undefined) throw new ThroughlineError("internal", "nothing was written");
  confirmBody(place, entry, readMemory(text).body);
  return { outcome: "written", file, change };
}
