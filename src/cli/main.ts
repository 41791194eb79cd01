#!/usr/bin/env node
// The `throughline` command. Every session of an agent starts `throughline mcp`, which therefore loads nothing but the handshake
// before a tool is called.
import { readFileSync } from "node:fs";
import { answerHandshake, readGreeting, withoutHandshake } from "./handshake.ts";

const args = process.argv.slice(2);
const isMcp = args.length === 1 && args[0] === "mcp";
/** The id of the handshake that mcp.sh has answered: the client repeats nothing, and is told nothing twice. */
const answered = process.env.THROUGHLINE_MCP_ANSWERED;
// Beside the built program; sources have none.
const greeting = isMcp ? readGreeting(new URL("mcp.json", import.meta.url)) : undefined;

/** Loaded when it is needed. */
async function program() {
  const { endWithReader } = await import("./terminal.ts");
  endWithReader();
  return import("./run.ts");
}

if (args.length === 1 && args[0] === "statusline") {
  const { statusLine } = await import("./commands/statusline/line.ts");
  const { write } = await import("./terminal.ts");
  write(`${statusLine(readFileSync(0, "utf8"), Date.now())}\n`);
} else if (isMcp && answered !== undefined)
  process.exitCode = await (await program()).serve(process.stdin, await withoutHandshake(answered));
else if (greeting === undefined) process.exitCode = await (await program()).main(args);
else
  await answerHandshake(greeting, async (input, output) => {
    process.exitCode = await (await program()).serve(input, output);
  });
