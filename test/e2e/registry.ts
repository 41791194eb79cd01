// A package registry on loopback with this package and what it needs at run time, each packed from the folder it is in here.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "../..");

interface Packed {
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly tarball: Buffer;
}

/** The manifest and tarball of the package in a folder. */
function pack(folder: string, into: string): Packed {
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", into];
  const out = execFileSync("npm", args, {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [{ filename }] = Object.values<{ filename: string }>(JSON.parse(out)) as [{ filename: string }];
  const manifest = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
  return { manifest, tarball: readFileSync(path.join(into, filename)) };
}

/** This package, and what its manifest names and what those name, as far as it is installed here. */
function packages(into: string): Map<string, Packed> {
  const found = new Map<string, Packed>();
  const add = (name: string, folder: string): void => {
    if (found.has(name) || !existsSync(folder)) return;
    const packed = pack(folder, into);
    found.set(name, packed);
    const { dependencies, optionalDependencies } = packed.manifest;
    for (const needed of Object.keys({ ...(dependencies ?? {}), ...(optionalDependencies ?? {}) }))
      add(needed, path.join(root, "node_modules", needed));
  };
  add("throughline", root);
  return found;
}

export interface Registry {
  readonly url: string;
  close(): void;
}

/** `into` is a folder for the tarballs. */
export async function startRegistry(into: string): Promise<Registry> {
  const all = packages(into);
  const server = createServer((request, response) => {
    const [, name = "", isTarball] = /^\/(.+?)(\/-\/.*)?$/.exec(decodeURIComponent(request.url ?? "")) ?? [];
    const packed = all.get(name);
    if (packed === undefined) return void response.writeHead(404).end("{}");
    if (isTarball !== undefined) return void response.end(packed.tarball);
    const { manifest, tarball } = packed;
    const version = String(manifest.version);
    const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
    const dist = { tarball: `${url()}${name}/-/package-${version}.tgz`, integrity };
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({
        name,
        "dist-tags": { latest: version },
        versions: { [version]: { ...manifest, dist } },
      }),
    );
  });
  const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: url(), close: () => void server.close() };
}
