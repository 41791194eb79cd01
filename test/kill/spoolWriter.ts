// A process that writes events into a spool until it is killed, or until it has written as many as it was told.
import { writeSync } from "node:fs";
import { captureEvent, writeEvent } from "../../src/spool/index.ts";

const [folder = "", writer = "", count = "Infinity"] = process.argv.slice(2);

for (let index = 0; index < Number(count); index++) {
  const payload = {
    session_id: "killed",
    hook_event_name: "PostToolUse",
    tool_use_id: `${writer}-${index}`,
    // From a few bytes to about 400 KB, so that kills fall into the middle of writing.
    tool_response: "output ü ".repeat((index * 7_919) % 40_000),
  };
  const event = captureEvent(payload, { lane: "hooks", writer: "0", now: Date.now() });
  if (event === undefined) throw new Error("the payload is of no event");
  writeEvent(folder, event);
  writeSync(1, `${event.id}\n`);
}
