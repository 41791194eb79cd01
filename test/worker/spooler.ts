// Writes events into a spool as hooks do, one after the other: `FOLDER NAME FIRST COUNT`.
import { mkdirSync } from "node:fs";
import path from "node:path";
import { captureEvent, writeEvent } from "../../src/spool/index.ts";
import { toolPayload } from "./payloads.ts";

const [folder = "", name = "", first = "0", count = "0"] = process.argv.slice(2);
mkdirSync(path.dirname(folder), { recursive: true, mode: 0o700 });
for (let at = Number(first); at < Number(first) + Number(count); at++) {
  const event = captureEvent(toolPayload(name, at), { lane: "hooks", writer: "test", now: Date.now() });
  if (event !== undefined) writeEvent(folder, event);
}
