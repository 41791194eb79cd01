// The hook for the beginning of a session and for every prompt: writes the event down, then asks what to say.
import { answer, startDeadline } from "./reply.ts";
import { runHook } from "./runHook.ts";

const deadline = startDeadline();

void runHook("answer", (input) => answer("answer", input, deadline));
