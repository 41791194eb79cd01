// The page: its files, read once and served by their exact names (no address leads to a path), and its policy.
import { readFileSync } from "node:fs";
import path from "node:path";
import { lstatIfThere, namesIn } from "../../lib/index.ts";
import { type Handler, type Handlers, notFound, problem } from "../request.ts";

interface ViewerFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  /** What is below `/assets/` has a hash in its name: it never changes, and may be kept. */
  readonly isHashed: boolean;
}

const A_YEAR = 31_536_000;

const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
};

/**
 * Only what this server sends may run, be shown or be fetched. Styles are set by rule or by script (`element.style`),
 * never by an attribute in HTML: so Markdown that slips through brings no style along either.
 */
const pagePolicy = [
  "default-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

function filesIn(folder: string, address: string): [string, ViewerFile][] {
  return namesIn(folder).flatMap((name): [string, ViewerFile][] => {
    const file = path.join(folder, name);
    const type = contentTypes[path.extname(name)];
    // A link could lead anywhere; what has no type of ours was not made by the build.
    if (type === undefined || !lstatIfThere(file)?.isFile()) return [];
    const isHashed = address === "/assets/";
    return [[address + name, { bytes: new Uint8Array(readFileSync(file)), type, isHashed }]];
  });
}

/** By the path of their address; undefined when the page was not built. */
function readViewer(folder: string): ReadonlyMap<string, ViewerFile> | undefined {
  const files = new Map([...filesIn(folder, "/"), ...filesIn(path.join(folder, "assets"), "/assets/")]);
  const page = files.get("/index.html");
  if (!page) return undefined;
  files.delete("/index.html");
  return files.set("/", page);
}

export function viewerRoutes(folder: string) {
  let viewer = readViewer(folder);
  const serve: Handler = (c) => {
    // A page that is built while the worker runs is served without a restart.
    viewer ??= readViewer(folder);
    if (!viewer) {
      const fix = "npm run build, or install the package again";
      return problem(c, 501, "not-built", "The viewer is not built.", fix);
    }
    const file = viewer.get(c.req.path);
    if (!file) return notFound(c);
    return c.body(file.bytes, 200, {
      "Content-Type": file.type,
      "Content-Security-Policy": pagePolicy,
      "Cache-Control": file.isHashed ? `private, max-age=${A_YEAR}, immutable` : "no-cache",
    });
  };
  return {
    "GET /": serve,
    "GET /assets/:name": serve,
    "GET /favicon.svg": serve,
  } satisfies Partial<Handlers>;
}
