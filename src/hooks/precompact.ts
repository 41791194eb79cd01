// The hook before a compaction: writes the event down, and lets the worker know while the whole window is still there.
import { answer, startDeadline } from "./reply.ts";
import { runHook } from "./runHook.ts";

const deadline = startDeadline();

void runHook("precompact", (input) => answer("precompact", input, deadline));
