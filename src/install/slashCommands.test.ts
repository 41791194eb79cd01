// Slash commands in the user's folder: placed once, renewed, never over a file of the user's own, and gone without a trace.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  commandsToPlace,
  placeCommands,
  placedCommands,
  removeCommands,
  slashCommands,
} from "./slashCommands.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-slash-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string): string => path.join(folder, "commands", name);

describe("slash commands", () => {
  it("are placed once, brought up to date, and removed with their folders", () => {
    expect(placeCommands(folder)).toHaveLength(slashCommands.length);
    expect(placeCommands(folder)).toEqual([]);
    const text = readFileSync(file("remember.md"), "utf8");
    expect(text).toMatch(
      /^---\ndescription: keep a sentence[^\n]*\nargument-hint: "text"\n---\nCall the tool save_memory/,
    );
    writeFileSync(file("remember.md"), text.replace("keep a sentence", "an older version"));
    expect(commandsToPlace(folder).map((one) => one.file)).toEqual(["remember.md"]);
    placeCommands(folder);
    expect(readFileSync(file("remember.md"), "utf8")).toBe(text);
    expect(removeCommands(folder)).toHaveLength(slashCommands.length);
    expect(readdirSync(folder)).toEqual([]);
    expect(removeCommands(folder)).toEqual([]);
  });

  it("leave the user's own files as they are", () => {
    mkdirSync(file("throughline"), { recursive: true });
    for (const name of ["recall.md", "throughline/mine.md"]) writeFileSync(file(name), "mine\n");
    placeCommands(folder);
    expect(placedCommands(folder)).not.toContain(file("recall.md"));
    removeCommands(folder);
    expect(readFileSync(file("recall.md"), "utf8")).toBe("mine\n");
    expect(existsSync(file("throughline/mine.md"))).toBe(true);
    expect(readdirSync(file(".")).sort()).toEqual(["recall.md", "throughline"]);
  });
});
