// A folder of memories as texts by their file, with the index: what machines exchange.
import { sha256 } from "../../lib/index.ts";
import { commitEdits, indexText } from "./commit.ts";
import type { MemoryPlace } from "./model.ts";
import { INDEX } from "./safePaths.ts";
import { openFolder } from "./store.ts";

/** The file of a folder that lists its memories. */
export const INDEX_FILE = INDEX;

/** Files that cannot be read stay on their machine. */
export async function folderTexts(place: MemoryPlace): Promise<Map<string, string>> {
  const { memories } = await openFolder(place);
  const texts = new Map(memories.map(({ file, text }) => [file, text]));
  const index = indexText(place);
  if (index !== "") texts.set(INDEX, index);
  return texts;
}

interface ReceivedText {
  readonly file: string;
  /** Undefined removes it. */
  readonly text: string | undefined;
  /** What was read there; anything else in the meantime refuses the change. */
  readonly over: string | undefined;
}

/** One change of the history, which can be undone. */
export const writeReceived = (place: MemoryPlace, received: readonly ReceivedText[]) =>
  commitEdits(place, "received", () =>
    received.map(({ file, text, over }) => ({
      file,
      text,
      expect: over === undefined ? undefined : sha256(over),
    })),
  );
