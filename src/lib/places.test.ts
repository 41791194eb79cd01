// Where the running parts meet.
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { resolveHome } from "./paths.ts";
import * as places from "./places.ts";

const homeAt = (folder: string) =>
  resolveHome({ env: { THROUGHLINE_HOME: folder }, platform: "linux", homeFolder: "/home/dev" });

describe("the worker's socket", () => {
  it("is in the state folder", () => {
    expect(places.workerSocket(homeAt("/t"), "linux")).toBe("/t/state/worker.sock");
  });

  it("is short where the folder's path is too long for the system, and a different one for each home", () => {
    const sockets = ["a", "b"].map((end) => places.workerSocket(homeAt(`/${"é".repeat(60)}${end}`), "linux"));
    for (const socket of sockets) {
      expect(path.dirname(socket)).toBe(tmpdir());
      expect(Buffer.byteLength(socket)).toBeLessThan(100);
    }
    expect(sockets[0]).not.toBe(sockets[1]);
  });

  it("is a named pipe on Windows", () => {
    expect(places.workerSocket(homeAt("/t"), "win32")).toMatch(/^\\\\\.\\pipe\\throughline-[0-9a-f]{16}$/);
  });
});

describe("the places", () => {
  it("are all different, and below the home", () => {
    const home = homeAt("/t");
    const all = [
      places.spoolFolder(home),
      places.workerSocket(home, "linux"),
      places.workerStateFile(home),
      places.tokenFile(home),
      places.runtimeFile(home),
      places.hookLog(home),
      places.databaseFile(home),
      places.pauseFile(home),
      places.answerFile(home, "/app"),
      places.answerFile(home, "/other"),
    ];
    expect(new Set(all).size).toBe(all.length);
    for (const place of all) expect(place.startsWith("/t/")).toBe(true);
  });
});
