// The page itself: what the build made, with what a browser must know to keep it safe.
import type { Context } from "hono";
import { type Handler, type Handlers, problem } from "./request.ts";
import { pagePolicy, readViewer, type Viewer } from "./routes/viewer.ts";

const A_YEAR = 31_536_000;

function headersFor(type: string, isHashed: boolean): Record<string, string> {
  return {
    "Content-Type": type,
    "Content-Security-Policy": pagePolicy,
    "Cache-Control": isHashed ? `private, max-age=${A_YEAR}, immutable` : "no-cache",
  };
}

export function viewerRoutes(folder: string): Handlers<"GET /" | "GET /assets/:name" | "GET /favicon.svg"> {
  let viewer: Viewer | undefined = readViewer(folder);
  const serve: Handler = (c: Context) => {
    // Whoever builds it while the worker runs need not start that anew.
    viewer ??= readViewer(folder);
    if (viewer === undefined) {
      return problem(
        c,
        501,
        "not-built",
        "The viewer is not built.",
        "npm run build, or install the package again",
      );
    }
    const file = viewer.get(c.req.path);
    if (file === undefined) return problem(c, 404, "not-found", `There is nothing at ${c.req.path}.`);
    return c.body(file.bytes, 200, headersFor(file.type, file.isHashed));
  };
  return { "GET /": serve, "GET /assets/:name": serve, "GET /favicon.svg": serve };
}
