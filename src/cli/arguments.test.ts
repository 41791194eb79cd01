// Command lines that are let through, and what is said of the others.
import { describe, expect, it } from "vitest";
import { choice, defineCommand, flag, operand, optional, parseArguments, value } from "./command.ts";

const args = {
  file: operand("a file"),
  again: optional("another file"),
  lines: value("a-b", "lines", { short: "l" }),
  ttl: choice(["5m", "1h"], "a lifetime"),
  color: flag("in colour", { preset: true }),
};

const check = (...raw: string[]) => parseArguments(raw, args, { name: "throughline x" });

describe("parseArguments", () => {
  it.each([
    [["a"]],
    [["a", "b", "--lines", "1-2", "-l", "3", "--ttl=1h", "--no-color", "--color"]],
    [["--lines", "-5", "a"]],
    [["-"]],
    [["--", "--not-a-flag"]],
    [["a", "--lines="]],
  ])("lets %j pass", (raw) => {
    expect(() => check(...raw)).not.toThrow();
  });

  it.each([
    [[], "FILE is missing"],
    [["--lines", "a"], "FILE is missing"],
    [["a", "b", "c"], "unexpected argument c"],
    [["a", "--", "b", "c"], "unexpected argument c"],
    [["a", "--line", "1"], "unknown flag --line; did you mean --lines?"],
    [["a", "-x"], "unknown flag -x"],
    [["a", "--no-lines"], "unknown flag --no-lines; did you mean --lines?"],
    [["a", "--lines"], "--lines needs a value"],
    [["a", "--ttl", "2h"], '--ttl must be 5m | 1h, not "2h"'],
    [["a", "--color=no"], "--color takes no value"],
  ])("refuses %j", (raw, message) => {
    expect(() => check(...raw)).toThrow(expect.objectContaining({ code: "usage", message }));
  });
});

describe("defineCommand", () => {
  it("hands over what was given, the rest apart", async () => {
    const command = defineCommand({
      args,
      rest: "more",
      examples: {},
      run: ({ args: { file, again, lines, ttl, color }, rest }) => ({
        data: { file, again, lines, ttl, color, rest },
        text: "",
      }),
    });
    const given = async (...raw: string[]) => (await command.run(raw, "throughline x")).data;
    expect(await given("a", "b", "c", "--lines", "-5", "d")).toEqual({
      file: "a",
      again: "b",
      lines: "-5",
      color: true,
      rest: ["c", "d"],
    });
    expect(await given("a", "--ttl=1h", "--no-color", "--", "--b")).toEqual({
      file: "a",
      again: "--b",
      ttl: "1h",
      color: false,
      rest: [],
    });
  });
});
