// The context inspector over HTTP: a session's window over time, its events, exact bytes, and undo.
import type { Context } from "hono";
import type { WindowDesk } from "../inspector/index.ts";
import { type Handlers, namedIn, textsOf, usage } from "./request.ts";

function offsetOf(c: Context): number {
  const offset = Number(c.req.query("offset") ?? 0);
  if (Number.isInteger(offset) && offset >= 0) return offset;
  throw usage("offset is a whole number from 0");
}

export const windowRoutes = (
  desk: WindowDesk,
): Handlers<"GET /api/window" | "GET /api/window/event" | "GET /api/recall" | "POST /api/undo"> => ({
  "GET /api/window": async (c) => c.json(await desk.view(namedIn(c, "session"))),
  "GET /api/window/event": async (c) => c.json(await desk.event(namedIn(c, "session"), namedIn(c, "event"))),
  "GET /api/recall": (c) => c.json(desk.recall(namedIn(c, "handle"), offsetOf(c))),
  "POST /api/undo": async (c) => {
    const body = await textsOf(c, "session", "entry");
    return body instanceof Response ? body : c.json(await desk.undo(body.session, body.entry));
  },
});
