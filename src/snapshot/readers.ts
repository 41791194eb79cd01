// The methods whose state can be read; another one is another entry here.
import type { ProjectStateReader } from "./projectState.ts";

export const projectStateReaders: readonly ProjectStateReader[] = [];
