// The hook before a compaction: writes the event down, and lets the worker know while the whole window is still there.
import { startDeadline } from "./deadline.ts";
import { answer } from "./reply.ts";
import { runHook } from "./take.ts";

const deadline = startDeadline();

void runHook("precompact", (taken) => answer("precompact", taken, deadline));
