// What the mod inside Claude Code asks. Declining is an answer: then the mod leaves everything to others.
import type { ModsHandlers } from "../mods/index.ts";
import { type Handlers, objectOf, problem } from "./request.ts";

export const modsRoutes = (mods: Pick<ModsHandlers, "ask"> | undefined): Handlers<"POST /mods/:op"> => ({
  "POST /mods/:op": async (c) => {
    const body = await objectOf(c, "who asks, and what");
    if (body instanceof Response) return body;
    const reply = await mods?.ask(c.req.param("op") ?? "", body);
    if (reply?.kind === "done") return c.json(reply.data);
    if (reply?.kind === "declined") return problem(c, 409, "declined", reply.why);
    return problem(c, 404, "not-found", `There is nothing at ${c.req.method} ${c.req.path}.`);
  },
});
