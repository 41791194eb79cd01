// What only chats need: who speaks, which question an entry answers, the entries around it, and standing instructions.
import type { FoundEntry } from "./model.ts";
import type { Question } from "./question.ts";
import { added, type Counts, placeScores, type Scored, type Weighing } from "./rank.ts";
import { ofTools, type Signal } from "./weights.ts";

/** Whether an entry is of a chat: its project has, among what was found, nothing that a tool did and no observation of work. */
export function inChat(found: readonly { readonly entry: FoundEntry }[]): (entry: FoundEntry) => boolean {
  const work = new Set(
    found
      .filter(
        ({ entry }) =>
          ofTools.has(entry.rowClass) || entry.kind === "observation" || entry.kind === "summary",
      )
      .map(({ entry }) => entry.project),
  );
  return ({ project, kind }) => kind === "message" && !work.has(project);
}

const generic = new Set(["", "user", "assistant", "system", "tool", "code", "human", "model"]);

export function namedSpeakers(
  { text }: Question,
  found: readonly { readonly entry: FoundEntry }[],
): ReadonlySet<string> {
  const lower = ` ${text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ")} `;
  const speakers = new Set(found.map(({ entry }) => entry.speaker.toLowerCase()));
  return new Set([...speakers].filter((name) => !generic.has(name) && lower.includes(` ${name} `)));
}

/** Entries in the order of their sessions, linked where the order is known. */
interface Neighbourhood {
  readonly before: ReadonlyMap<number, FoundEntry>;
  readonly after: ReadonlyMap<number, FoundEntry>;
}

const REACH = 2;

function neighbours(entry: FoundEntry, { before, after }: Neighbourhood) {
  const walk = (links: ReadonlyMap<number, FoundEntry>) => {
    const found: FoundEntry[] = [];
    for (let at = links.get(entry.id); at !== undefined && found.length < REACH; at = links.get(at.id))
      found.push(at);
    return found;
  };
  return [...walk(before), ...walk(after)];
}

type Shares = { [signal in Signal]?: number };

/** The signals of these entries, which are all of chats. The neighbours of source code say nothing about it. */
export function chatSignals(
  scored: readonly Scored[],
  weighing: Weighing,
  links: Neighbourhood,
): ReadonlyMap<number, Shares> {
  const { question, named } = weighing;
  const byId = new Map(scored.map((one) => [one.entry.id, one]));
  const windows = new Map<number, Counts>();
  for (const { entry, counts } of scored) {
    if (entry.isCode) continue;
    let sum = counts;
    for (const other of neighbours(entry, links)) sum = added(sum, byId.get(other.id)?.counts ?? new Map());
    windows.set(entry.id, sum);
  }
  const around = placeScores(windows, weighing);
  const signalsOf = ({ entry, best }: Scored): Shares => {
    const before = links.before.get(entry.id);
    const speaker = entry.speaker.toLowerCase();
    return {
      around: around.get(entry.id) ?? best,
      answer: before?.isQuestion === true && !question.isFirstPerson ? (byId.get(before.id)?.best ?? 0) : 0,
      speaker: named.has(speaker) ? 1 / named.size : 0,
      own: question.isFirstPerson && speaker === "user" ? 1 : 0,
      standing: entry.isStanding ? 1 : 0,
      standingRequest: entry.isStanding && question.isRequest ? 1 : 0,
    };
  };
  return new Map(scored.map((one) => [one.entry.id, signalsOf(one)]));
}
