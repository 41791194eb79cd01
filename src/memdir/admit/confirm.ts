// Lets a text out of quarantine, to where it was on its way: a person has read it.
import { systemClock, ThroughlineError } from "../../lib/index.ts";
import { commit } from "../folder/commit.ts";
import { writeEntry } from "../folder/dailyLogs.ts";
import { readMemory } from "../folder/frontmatter.ts";
import type { Change } from "../folder/journal.ts";
import type { MemoryPlace } from "../folder/model.ts";
import { lineFor } from "../folder/store.ts";
import { confirmBody, type Destination, type Quarantined } from "./quarantine.ts";
import { type SaveOptions, type SaveOutcome, type SaveRequest, saveSeen } from "./save.ts";
import { neutralised } from "./screen.ts";

export type ConfirmOutcome =
  | SaveOutcome
  /** A whole file, as the memory tool writes them or as lint took one away. */
  | { readonly outcome: "written"; readonly file: string; readonly change: Change }
  | { readonly outcome: "logged"; readonly file: string };

export interface ConfirmOptions extends Pick<SaveOptions, "clock" | "timeZone" | "instructions"> {
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
  const request = harmless({
    ...entry.request,
    ...(name === undefined ? {} : { name }),
    ...(surprising === undefined ? {} : { surprising }),
  });
  if (destination?.kind === "file") return await writeFile(place, entry, destination, request.body, options);
  if (destination?.kind === "log") {
    const { type } = destination;
    const file = writeEntry(
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

function harmless(request: SaveRequest): SaveRequest {
  return {
    ...request,
    name: neutralised(request.name),
    description: neutralised(request.description),
    body: neutralised(request.body),
    ...(request.surprising === undefined ? {} : { surprising: neutralised(request.surprising) }),
  };
}

async function writeFile(
  place: MemoryPlace,
  entry: Quarantined,
  { file, hash }: Extract<Destination, { kind: "file" }>,
  text: string,
  { clock = systemClock }: ConfirmOptions,
): Promise<ConfirmOutcome> {
  const edit = { file, text, expect: hash ?? undefined, ...lineFor(file, text) };
  const change = await commit(place, "confirm", () => [edit], clock);
  if (change === undefined) throw new ThroughlineError("internal", "nothing was written");
  confirmBody(place, entry, readMemory(text).body);
  return { outcome: "written", file, change };
}
