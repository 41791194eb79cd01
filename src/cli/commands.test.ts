// The table of commands: what it says is there, and its examples can be typed.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { checkArguments } from "./arguments.ts";
import type { Command, Group } from "./command.ts";
import { root } from "./commands.ts";
import { commandHelp, groupHelp } from "./help.ts";
import { widthOf } from "./width.ts";

interface Listed {
  readonly name: string;
  readonly summary: string;
  readonly command: Command | Group;
}

async function listed(name: string, group: Group): Promise<Listed[]> {
  const found: Listed[] = [];
  for (const entry of group.commands) {
    const command = (await entry.load()).default;
    const path = `${name} ${entry.name}`;
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
  checkArguments(wordsOf(line.slice(name.length)), command.args, { name, rest: command.rest });
});

describe.each(all)("$name", ({ name, summary, command }) => {
  it("has a summary of one line and examples of its own", () => {
    expect(summary).toMatch(/^[^\n]{5,80}$/);
    expect(command.examples.length).toBeGreaterThan(0);
    for (const { line } of command.examples) expect(line).toMatch(new RegExp(`\\b${name}\\b`));
  });

  it("has a help that fits a terminal", () => {
    const help = command.kind === "group" ? groupHelp : commandHelp;
    const typed = command.examples.map(({ line }) => `  ${line}`);
    for (const columns of [80, 100]) {
      const lines = help(name, summary, command as never, columns).split("\n");
      expect(lines.filter((line) => widthOf(line) > columns && !typed.includes(line))).toEqual([]);
    }
    expect(typed.filter((line) => widthOf(line) > 100)).toEqual([]);
  });

  if (command.kind === "group") return;
  it("takes the arguments of its examples", () => {
    for (const { line } of command.examples) {
      const [typed = ""] = line.slice(line.indexOf(name) + name.length).split(/[|>]/);
      checkArguments(wordsOf(typed), command.args, { name, rest: command.rest });
    }
  });
});
