// Lets others of the team see one item, or takes that back: what it is and who will see it is shown before anything is done.
import { z } from "zod";
import { check, notFoundError, ThroughlineError, usageError } from "../lib/index.ts";
import { readRef } from "../search/index.ts";
import type { ChangeableKind, Store } from "../store/index.ts";
import type { RemoteClient } from "./client.ts";
import { projectNames } from "./projects.ts";

const shareAsk = z.object({
  ref: z.string(),
  visibility: z.enum(["private", "project", "team"]),
  carryOut: z.boolean().default(false),
});

export interface Shared {
  readonly ref: string;
  readonly text: string;
  readonly visibility: z.output<typeof shareAsk>["visibility"];
  /** Other persons of the team who see it then. */
  readonly readers: readonly string[];
  readonly done: boolean;
}

type ShareStore = Pick<
  Store,
  "observationsById" | "summariesById" | "workFolders" | "projectIdentities" | "keepProjectIdentities"
>;

async function itemOf(store: ShareStore, ref: string) {
  const place = readRef(ref);
  const kind: ChangeableKind | undefined =
    place?.kind === "observation" || place?.kind === "summary" ? place.kind : undefined;
  if (place === undefined || kind === undefined)
    throw usageError(
      `${ref} is not the id of an observation or a summary`,
      "ids as search prints them: '#12' or S3",
    );
  const id = Number(place.ref);
  const [observation] = kind === "observation" ? await store.observationsById([id]) : [];
  const [summary] = kind === "summary" ? await store.summariesById([id]) : [];
  const row = observation ?? summary;
  if (row === undefined) throw notFoundError(`there is no item ${ref}`, "`throughline search` prints ids");
  const texts = observation
    ? [
        observation.title,
        observation.subtitle,
        observation.narrative,
        observation.text,
        observation.facts?.join("\n"),
      ]
    : [summary?.request, summary?.learned, summary?.completed, summary?.nextSteps, summary?.notes];
  return { kind, uid: row.uid, project: row.project, text: texts.filter(Boolean).join("\n") };
}

/** Takes what was asked over a wire. `sync` brings the item to the server first. */
export async function shareItem(
  store: ShareStore,
  client: RemoteClient,
  sync: () => Promise<unknown>,
  asked: unknown,
): Promise<Shared> {
  const { ref, visibility, carryOut } = check(shareAsk, asked);
  const { kind, uid, project, text } = await itemOf(store, ref);
  const { outgoingName } = await projectNames(store);
  const readers = await client.readers(visibility, outgoingName(project));
  if (carryOut) {
    await sync();
    if ((await client.share(kind, [uid], visibility)) === 0 && visibility !== "private")
      throw new ThroughlineError("not-found", `${ref} is shared like that already, or is not yours`, {
        fix: `\`throughline share '${ref}' --with me\` takes it back`,
      });
  }
  return { ref, text, visibility, readers, done: carryOut };
}
