// The hook for events that are recorded and need no reply: tools, ends of turns, compactions, ends of sessions.
import { runHook } from "./runHook.ts";

void runHook("capture");
