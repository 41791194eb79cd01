// Where the running parts meet.
import { describe, expect, it } from "vitest";
import { resolveHome } from "./paths.ts";
import * as places from "./stateFiles.ts";

const homeAt = (folder: string) =>
  resolveHome({ env: { THROUGHLINE_HOME: folder }, platform: "linux", homeFolder: "/home/dev" });

describe("the places", () => {
  it("are all different, and below the home", () => {
    const home = homeAt("/t");
    const all = [
      places.spoolFolder(home),
      places.workerSocket(home),
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
