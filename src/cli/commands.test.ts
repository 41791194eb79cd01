// The table of commands: what it says is there, and its examples can be typed.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type Command, type Group, parseArguments } from "./command.ts";
import { renamedCommands, root, shortRoot } from "./commands.ts";
import { commandHelp, groupHelp } from "./help.ts";
import { widthOf } from "./output.ts";

interface Listed {
  readonly name: string;
  readonly summary: string;
  readonly command: Command | Group;
}

async function listed(name: string, group: Group): Promise<Listed[]> {
  const found: Listed[] = [];
  for (const [own, entry] of Object.entries(group.commands)) {
    const command = await entry.load();
    const path = `${name} ${own}`;
    found.push({ name: path, summary: entry.summary, command });
    if (command.kind === "group") found.push(...(await listed(path, command)));
  }
  return found;
}

const all = await listed("throughline", root);

const wordsOf = (typed: string): string[] =>
  [...typed.matchAll(/(['"])(.*?)\1|(\S+)/g)].map(([, , quoted, bare]) => quoted ?? bare ?? "");

const pages = path.resolve(import.meta.dirname, "../../viewer/src/pages");

/** What empty pages of the viewer say to type. */
const advised = readdirSync(pages, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".tsx"))
  .flatMap((name) => [...readFileSync(path.join(pages, name), "utf8").matchAll(/command=(['"])(.*?)\1/g)])
  .map(([, , line = ""]) => line);

it.each([...new Set(advised)])("the viewer says to type what can be typed: %s", (line) => {
  const found = all.findLast(({ name, command }) => command.kind === "command" && line.startsWith(name));
  if (found?.command.kind !== "command") throw new Error("there is no such command");
  const { name, command } = found;
  parseArguments(wordsOf(line.slice(name.length)), command.args, { name, rest: command.rest });
});

describe("the table", () => {
  it("lists at most 24 commands, and the others with --all", () => {
    expect(Object.keys(shortRoot.commands).length).toBeLessThanOrEqual(24);
    expect(Object.keys(root.commands)).toEqual(expect.arrayContaining(Object.keys(shortRoot.commands)));
  });

  it("leaves former names to the commands that replace them", () => {
    const names = Object.keys(root.commands);
    expect(names.filter((name) => name in renamedCommands)).toEqual([]);
  });

  it.each(Object.entries(renamedCommands))("has what replaces %s", (_, [first = "", second = ""]) => {
    const found = all.some(({ name }) => name === `throughline ${first} ${second}`);
    expect(found || (first === "show" && all.some(({ name }) => name === "throughline show"))).toBe(true);
  });
});

describe.each(all)("$name", ({ name, summary, command }) => {
  it("has a summary of one line and examples of its own", () => {
    expect(summary).toMatch(/^[^\n]{5,80}$/);
    expect(Object.keys(command.examples).length).toBeGreaterThan(0);
    for (const line of Object.keys(command.examples)) expect(line).toMatch(new RegExp(`\\b${name}\\b`));
  });

  it("has a help that fits a terminal", () => {
    const help = command.kind === "group" ? groupHelp : commandHelp;
    const typed = Object.keys(command.examples).map((line) => `  ${line}`);
    for (const columns of [80, 100]) {
      const lines = help(name, summary, command as never, columns).split("\n");
      expect(lines.filter((line) => widthOf(line) > columns && !typed.includes(line))).toEqual([]);
    }
    expect(typed.filter((line) => widthOf(line) > 100)).toEqual([]);
  });

  if (command.kind === "group") return;
  it("takes the arguments of its examples", () => {
    for (const line of Object.keys(command.examples)) {
      const [typed = ""] = line.slice(line.indexOf(name) + name.length).split(/[|>]/);
      parseArguments(wordsOf(typed), command.args, { name, rest: command.rest });
    }
  });
});
