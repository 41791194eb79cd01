// `throughline recall`: the exact bytes of something that left the window.
import { chooseByBeginning, vaultFolder } from "../../home/index.ts";
import { ThroughlineError } from "../../lib/index.ts";
import {
  openVault,
  type Range,
  recall,
  recallSession,
  type Selection,
  type Vault,
} from "../../vault/index.ts";
import { defineCommand, type Report } from "../command.ts";
import { columns } from "../output.ts";
import { surroundings } from "../surroundings.ts";
import { paint } from "../terminal.ts";

function lineRange(text: string): Range {
  const match = /^(\d+)(?:-(\d+))?$/.exec(text);
  if (!match) {
    throw new ThroughlineError("usage", `--lines takes A-B, not ${text}`, {
      fix: "for example --lines 10-40",
    });
  }
  return [Number(match[1]), Number(match[2] ?? match[1])];
}

function recallOne(vault: Vault, handle: string, selection: Selection): Report {
  const { bytes, ...rest } = recall(vault, handle, selection);
  return {
    data: { ...rest, base64: isText(bytes) ? undefined : Buffer.from(bytes).toString("base64") },
    text: bytes,
  };
}

function isText(bytes: Uint8Array): boolean {
  return Buffer.from(Buffer.from(bytes).toString("utf8"), "utf8").equals(Buffer.from(bytes));
}

function sessionNamed(vault: Vault, id: string): string {
  const names = vault.sessions().map(({ session }) => session);
  const session = chooseByBeginning(names, id);
  if (session !== undefined) return session;
  throw new ThroughlineError("not-found", `nothing was taken out of a session ${id}`, {
    fix: "check the id, or THROUGHLINE_HOME if the data lives elsewhere",
  });
}

function recallAll(vault: Vault, session: string, pattern: string | undefined): Report {
  if (pattern === undefined) {
    const blobs = vault.list({ session });
    const rows = blobs.map(({ handle, bytes, origins }) => {
      const origin = origins.find((one) => one.session === session);
      return [handle, `${bytes} B`, origin?.level ?? "", origin?.tool ?? "", origin?.toolUseId ?? ""];
    });
    return { data: { session, blobs }, text: columns(rows) };
  }
  const found = recallSession(vault, session, { pattern });
  const lines = found.matches.map(
    ({ handle, line, text }) => `${paint("dim", `${handle}:${line}:`)} ${text}`,
  );
  const ending = found.truncated ? ["… more matches; narrow the pattern"] : [];
  return {
    data: { session, ...found },
    text: lines.length === 0 ? "no match" : [...lines, ...ending].join("\n"),
  };
}

export default defineCommand({
  args: {
    handle: { type: "positional", required: false, description: "a handle (tl:…) or a tool_use_id" },
    session: {
      type: "string",
      description: "the session it was taken out of, or the beginning of its id; alone it lists everything",
    },
    lines: { type: "string", valueHint: "a-b", description: "only these lines, counted from 1" },
    pattern: { type: "string", description: "only lines that match this regular expression" },
  },
  examples: [
    { line: "throughline recall tl:3f9a0c12b7de", does: "the whole content, byte for byte" },
    { line: "throughline recall tl:3f9a0c12b7de --lines 40-80", does: "some of its lines" },
    {
      line: "throughline recall --session 5f1c --pattern 'refresh.*token'",
      does: "search everything a session took out",
    },
  ],
  run({ args }) {
    const vault = openVault(vaultFolder(surroundings().home));
    const { handle, lines, pattern } = args;
    if (!handle && (!args.session || lines !== undefined)) {
      const wanted = args.session ? "--lines needs a handle" : "recall needs a handle or --session";
      throw new ThroughlineError("usage", wanted, {
        fix: "throughline recall HANDLE, or throughline recall --session ID",
      });
    }
    const session = args.session ? sessionNamed(vault, args.session) : undefined;
    if (!handle) return recallAll(vault, session ?? "", pattern);
    return recallOne(vault, handle, {
      ...(session === undefined ? {} : { session }),
      ...(lines === undefined ? {} : { lines: lineRange(lines) }),
      ...(pattern === undefined ? {} : { pattern }),
    });
  },
});
