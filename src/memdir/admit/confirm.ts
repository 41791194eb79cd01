// Releases a quarantined text that a person has read, to its destination.
import { defined, systemClock, ThroughlineError } from "../../lib/index.ts";
import { commitEdits } from "../folder/commit.ts";
import { writeLogEntry } from "../folder/dailyLogs.ts";
import { readMemory } from "../folder/frontmatter.ts";
import type { MemoryChange } from "../folder/journal.ts";
import type { MemoryPlace } from "../folder/model.ts";
import { lineFor } from "../folder/store.ts";
import { confirmBody, type Destination, type Quarantined } from "./quarantine.ts";
import { type SaveMemoryOptions, type SaveOutcome, type SaveRequest, screenAndSave } from "./save.ts";
import { neutralizeMarkup } from "./screen.ts";

/** What came of confirming a quarantined text. */
export type ConfirmOutcome =
  | SaveOutcome
  /** A whole file, as the memory tool writes them or as lint took one away. */
  | { readonly outcome: "written"; readonly file: string; readonly change: MemoryChange }
  | { readonly outcome: "logged"; readonly file: string };

/** Options of `approveQuarantined`. */
export interface ConfirmOptions
  extends Pick<SaveMemoryOptions, "clock" | "timeZone" | "instructions" | "root"> {
  /** Another name, where a memory of that name exists already. */
  readonly name?: string | undefined;
  /** The part that cannot be looked up, where the rest is refused as derivable. */
  readonly surprising?: string | undefined;
}

/** Tags that could pass for another speaker are made visible words. A text that is not saved stays in quarantine. */
export async function confirmQuarantined(
  place: MemoryPlace,
  entry: Quarantined,
  { name, surprising, ...options }: ConfirmOptions = {},
): Promise<ConfirmOutcome> {
  const { destination } = entry;
  const request = neutralizeRequest({ ...entry.request, ...defined({ name, surprising }) });
  if (destination?.kind === "file")
    return await writeConfirmedFile(place, entry, destination, request.body, options);
  if (destination?.kind === "log") {
    const logged = { text: request.body, author: request.author, ...defined({ type: destination.type }) };
    const file = writeLogEntry(place, logged, options);
    confirmBody(place, entry, request.body);
    return { outcome: "logged", file };
  }
  const { file, hash, kept } = destination ?? {};
  const replace = file === undefined || hash === undefined ? undefined : { file, hash };
  const outcome = await screenAndSave(
    place,
    request,
    {
      ...options,
      ...defined({ replace, kept }),
    },
    true,
  );
  if (outcome.outcome === "saved") confirmBody(place, entry, outcome.memory.body);
  return outcome;
}

function neutralizeRequest({ name, description, body, surprising, ...rest }: SaveRequest): SaveRequest {
  return {
    ...rest,
    name: neutralizeMarkup(name),
    description: neutralizeMarkup(description),
    body: neutralizeMarkup(body),
    ...defined({ surprising: surprising && neutralizeMarkup(surprising) }),
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
  if (!change) throw new ThroughlineError("internal", "nothing was written");
  confirmBody(place, entry, readMemory(text).body);
  return { outcome: "written", file, change };
}
