// What of a transcript may be archived: nothing of pauses, of excluded folders, and of what was forgotten.
import type { ArchiveOptions } from "../../archive/index.ts";
import { type Pause, rememberingExclusion, wasPaused } from "../../home/index.ts";
import type { TranscriptMarks } from "./transcriptMarks.ts";

interface ArchivableParts {
  readonly pauses: readonly Pause[];
  readonly isExcluded: (cwd: string) => boolean;
  readonly marks: Pick<TranscriptMarks, "get"> | undefined;
}

export function archivable({
  pauses,
  isExcluded,
  marks,
}: ArchivableParts): Required<Pick<ArchiveOptions, "isWanted" | "from">> {
  const isOut = rememberingExclusion(isExcluded);
  return {
    isWanted: ({ at, cwd }) =>
      !(at !== undefined && wasPaused(pauses, at)) && !(cwd !== undefined && isOut(cwd)),
    from: (file) => marks?.get(file)?.forgotten ?? 0,
  };
}
