// Work in which every text that is kept is an attack: rows of every kind, names of files, projects and sessions.
import { attacks } from "./attacks.ts";

const PROJECT = "attacked-0badf00d";

/** The newest decision, which Home shows: every attack in each of its fields at once. */
function* decidedLines(now: number): Generator<object> {
  const session = "attack-decision";
  const at = new Date(now).toISOString();
  const all = attacks.join(" ");
  const row = { session, project: PROJECT, at };
  yield {
    type: "session",
    ...{ ...row, lastActivityAt: at, promptCounter: 1, status: "completed", completedAt: at },
  };
  yield { type: "prompt", ...row, promptNumber: 1, uid: `${session}-p`, promptText: all };
  yield {
    type: "observation",
    ...{ ...row, promptNumber: 1, uid: `${session}-o`, observationType: "decision" },
    ...{ title: all, subtitle: all, narrative: all, facts: attacks, concepts: [all], filesModified: [all] },
  };
}

/** One session for each attack, with the attack in every field that there is. */
function* linesOf(attack: string, n: number, now: number): Generator<object> {
  const session = `attack-${n}`;
  const at = new Date(now - n * 60_000).toISOString();
  const row = { session, project: PROJECT, at };
  const made = (kind: string) => ({ ...row, promptNumber: 1, uid: `${session}-${kind}` });
  yield {
    type: "session",
    ...row,
    lastActivityAt: at,
    promptCounter: 1,
    status: "completed",
    completedAt: at,
  };
  yield { type: "prompt", ...made("p"), promptText: attack };
  yield {
    type: "observation",
    ...made("o"),
    observationType: "discovery",
    title: attack,
    subtitle: attack,
    narrative: attack,
    text: attack,
    facts: [attack, `fact ${attack}`],
    concepts: [attack],
    filesRead: [`src/${attack}.ts`],
    filesModified: [attack],
    toolName: attack,
  };
  yield {
    type: "summary",
    ...made("s"),
    request: attack,
    investigated: attack,
    learned: attack,
    completed: attack,
    nextSteps: attack,
    notes: attack,
  };
  yield { type: "message", ...row, uuid: `${session}-m`, role: "assistant", text: attack };
}

export function attackedStory(now = Date.now()): string[] {
  const rows = [...attacks.flatMap((attack, n) => [...linesOf(attack, n, now)]), ...decidedLines(now)];
  return [{ throughline: "export", version: 1 }, ...rows, { type: "end", lines: rows.length }].map((line) =>
    JSON.stringify(line),
  );
}
