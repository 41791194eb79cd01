// `throughline errors`: what failed in past sessions, by signature, with what was changed before it passed.

import { type Errors, failureClasses } from "../../errorBook/index.ts";
import { singleLine } from "../../lib/index.ts";
import { defineCommand, integer, value } from "../command.ts";
import { scopeArgs } from "../context.ts";
import { localMinute } from "../output.ts";
import { paint } from "../terminal.ts";
import { askFinder, filterFrom } from "./search.ts";

const MOST_CHANGES = 4;

const shortened = (text: string, most: number) => (text.length > most ? `${text.slice(0, most)}…` : text);

function fixLines({ fix, state, refs }: Errors["items"][number]) {
  if (!fix) return [state === "passed" ? "    passed again with nothing changed" : "    no run passed since"];
  const [changes, hidden] = [fix.changes.slice(0, MOST_CHANGES), fix.changes.length - MOST_CHANGES];
  const seen = refs.length === 0 ? "" : ` · ${refs.slice(0, 3).join(" ")}`;
  const ended = {
    fixed: "",
    passed: "passed again with nothing changed; before that ",
    open: "no run passed since; before that ",
  };
  return [
    `    ${ended[state]}fixed ${localMinute(fix.at)}${fix.commit === undefined ? "" : `: ${fix.commit}`}${seen}`,
    ...changes.map((line) => `      ${shortened(singleLine(line), 160)}`),
    ...(hidden > 0 ? [`      and ${hidden} more`] : []),
    ...fix.commands.slice(0, MOST_CHANGES).map((line) => `      $ ${shortened(singleLine(line), 160)}`),
  ];
}

function entryLines(entry: Errors["items"][number]) {
  const { seen, subject, message, command, lastAt } = entry;
  const what = [subject, message].filter(Boolean).join(": ") || "failed without a message";
  return [
    paint("bold", `${seen}× ${entry.class} · ${what}`),
    `    $ ${shortened(singleLine(command), 160)} · last seen ${localMinute(lastAt)}`,
    ...fixLines(entry),
  ].join("\n");
}

const errors = defineCommand({
  args: {
    ...scopeArgs,
    class: value("class", `only one class: ${failureClasses.join(", ")}`),
    file: value("path", "only failures of this file, or fixes that changed it"),
    state: value("state", "only those that are fixed, passed (nothing was changed) or open"),
    limit: integer("n", "how many (default: 20)"),
    offset: integer("n", "how many to skip"),
  },
  rest: "words",
  examples: {
    "throughline errors --project .": "what failed in this project, seen most often first",
    "throughline errors cannot find module": "failures with these words",
    "throughline errors --state open --class test": "tests that no run has passed since",
    "throughline errors --file src/session.ts --json": "about one file, for a program",
  },
  async run({ args, rest }) {
    const { class: one, file, state, limit, offset } = args;
    const asked = { query: rest.join(" "), class: one, file, state, limit, offset };
    const found = await askFinder("errors", { ...(await filterFrom(args)), ...asked });
    return {
      data: found,
      text: [
        found.items.map(entryLines).join("\n") || "No failure was found.",
        found.more && `${found.total} in all; --offset skips these.`,
      ],
    };
  },
});

export default { errors };
