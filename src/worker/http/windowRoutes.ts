// The context inspector over HTTP: a session's window over time, its events, exact bytes, and undo.
import type { Context } from "hono";
import type { WindowDesk } from "../inspect/desk.ts";
import { type Handlers, objectOf, usage } from "./request.ts";

function asked(c: Context, name: string): string {
  const value = c.req.query(name);
  if (value === undefined || value === "") throw usage(`${name} is missing`);
  return value;
}

function offsetOf(c: Context): number {
  const offset = Number(c.req.query("offset") ?? 0);
  if (Number.isInteger(offset) && offset >= 0) return offset;
  throw usage("offset is a whole number from 0");
}

export const windowRoutes = (
  desk: WindowDesk,
): Handlers<"GET /api/window" | "GET /api/window/event" | "GET /api/recall" | "POST /api/undo"> => ({
  "GET /api/window": async (c) => c.json(await desk.view(asked(c, "session"))),
  "GET /api/window/event": async (c) => c.json(await desk.event(asked(c, "session"), asked(c, "event"))),
  "GET /api/recall": (c) => c.json(desk.recall(asked(c, "handle"), offsetOf(c))),
  "POST /api/undo": async (c) => {
    const body = await objectOf(c, "`session` and `entry`");
    if (body instanceof Response) return body;
    const { session, entry } = body;
    if (typeof session !== "string" || typeof entry !== "string")
      throw usage("`session` and `entry` are texts");
    return c.json(await desk.undo(session, entry));
  },
});
