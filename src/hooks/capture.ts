// The hook for everything that is only written down: tools, ends of turns, compactions, ends of sessions.
import { runHook } from "./runHook.ts";

void runHook("capture");
