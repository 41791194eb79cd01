// The hook for everything that is only written down: tools, ends of turns, compactions, ends of sessions.
import { runHook } from "./take.ts";

void runHook("capture");
