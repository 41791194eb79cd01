// The addresses of the context inspector: a session's window over time, its events, exact bytes, and undo.
import type { Context, Hono } from "hono";
import { ThroughlineError } from "../../lib/index.ts";
import type { WindowDesk } from "../inspect/desk.ts";

function asked(c: Context, name: string): string {
  const value = c.req.query(name);
  if (value === undefined || value === "") throw new ThroughlineError("usage", `${name} is missing`);
  return value;
}

function offsetOf(c: Context): number {
  const offset = Number(c.req.query("offset") ?? 0);
  if (Number.isInteger(offset) && offset >= 0) return offset;
  throw new ThroughlineError("usage", "offset is a whole number from 0");
}

export function windowRoutes(app: Hono, desk: WindowDesk): void {
  app.get("/api/window", async (c) => c.json(await desk.view(asked(c, "session"))));
  app.get("/api/window/event", async (c) => c.json(await desk.event(asked(c, "session"), asked(c, "event"))));
  app.get("/api/recall", (c) => c.json(desk.recall(asked(c, "handle"), offsetOf(c))));
}
