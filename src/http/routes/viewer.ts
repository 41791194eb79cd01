// The files of the page, read once and served by their exact names: there is no way from an address to a path.
import { lstatSync, readFileSync } from "node:fs";
import path from "node:path";
import { namesIn } from "../../lib/index.ts";

interface ViewerFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  /** What is below `/assets/` has a hash in its name: it never changes, and may be kept. */
  readonly isHashed: boolean;
}

/** By the path of their address; undefined when the page was not built. */
export type Viewer = ReadonlyMap<string, ViewerFile>;

/** Addresses that anyone may read without having signed in: they show nothing but the program. */
export const isViewerPath = (address: string): boolean =>
  address === "/" || address.startsWith("/assets/") || /^\/favicon\.(ico|svg|png)$/.test(address);

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
};

/**
 * Only what comes from here may run, be shown or be asked. Styles are set by rule or by script (`element.style`),
 * never by an attribute in HTML: so Markdown that slips through brings no style along either.
 */
export const pagePolicy = [
  "default-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

function filesIn(folder: string, address: string): [string, ViewerFile][] {
  return namesIn(folder).flatMap((name): [string, ViewerFile][] => {
    const file = path.join(folder, name);
    const type = types[path.extname(name)];
    // A link could lead anywhere; what has no type of ours was not made by the build.
    if (type === undefined || !lstatSync(file, { throwIfNoEntry: false })?.isFile()) return [];
    const isHashed = address === "/assets/";
    return [[address + name, { bytes: new Uint8Array(readFileSync(file)), type, isHashed }]];
  });
}

export function readViewer(folder: string): Viewer | undefined {
  const files = new Map([...filesIn(folder, "/"), ...filesIn(path.join(folder, "assets"), "/assets/")]);
  const page = files.get("/index.html");
  if (page === undefined) return undefined;
  files.delete("/index.html");
  return files.set("/", page);
}
