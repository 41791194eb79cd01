// The methods whose state can be read; another one is another entry here. A reader is loaded when a snapshot is taken.
import type { ProjectStateReader } from "./projectState.ts";

export const projectStateReaders: readonly ProjectStateReader[] = [
  {
    name: "bmad",
    read: async (context) => (await import("./bmad/index.ts")).bmadReader.read(context),
  },
];
