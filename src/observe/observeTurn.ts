// A turn's calls turned into observations, without a model: few, each with a title that says what happened.
import type { Deed } from "./actions.ts";
import { draftOf, type Story } from "./draft.ts";
import { type Fix, failureName, fixesIn, stillFailing } from "./fixes.ts";
import type { ObservedTurn, TurnToObserve } from "./model.ts";
import { summaryOf } from "./summary.ts";
import { type Scene, sceneOf } from "./turnContext.ts";
import { mainStory } from "./turnDraft.ts";
import { plain, shortened } from "./words.ts";

const MOST_FIXES = 3;
const NARRATIVE = 1_200;

export function observeTurn(turn: TurnToObserve): ObservedTurn {
  const scene = sceneOf(turn);
  const stories = storiesOf(scene, turn.reported === true).filter(({ deeds }) => deeds.length > 0);
  const observations = stories.map((story) => draftOf(story, scene.request, scene.phrases));
  const summary = summaryOf(scene, observations);
  return { observations, ...(summary === undefined ? {} : { summary }) };
}

/** Every fresh deed is in exactly one story. */
function storiesOf(scene: Scene, reported: boolean): Story[] {
  const free = new Set(scene.fresh);
  const take = (deeds: readonly Deed[]): Deed[] => deeds.filter((deed) => free.delete(deed));
  const apart = [
    ...scene.fresh
      .filter(({ kind }) => kind === "decide")
      .flatMap((deed) => decisionStory(deed, scene, take)),
    ...researchStory(scene, take),
    ...(reported ? [] : scene.fresh.flatMap((deed) => reportStory(deed, scene, take))),
    ...fixesIn(scene.deeds)
      .filter(isTold)
      .slice(0, MOST_FIXES)
      .map((fix) => fixStory(fix, scene, take)),
    ...stillFailing(scene.deeds).flatMap((deed) => failureStory(deed, scene, take)),
  ].filter(({ deeds }) => deeds.length > 0);
  const spans = spansOf(scene.fresh.filter((deed) => free.has(deed)));
  // What only looked, or wrote the test that then failed, belongs to the change that it was for.
  const host = apart.findLast(({ type }) => type === "bugfix");
  const [only] = spans;
  if (host !== undefined && only !== undefined && spans.length === 1 && only.every(isPreparation))
    return apart.map((story) => (story === host ? joined(story, only, scene) : story));
  const mains = spans.map((deeds, at) => mainStory(deeds, scene, at === spans.length - 1));
  return [...mains, ...apart].sort((a, b) => placeOf(a, scene) - placeOf(b, scene));
}

const placeOf = ({ deeds }: Story, { fresh }: Scene): number => {
  const [first] = deeds;
  return first === undefined ? 0 : fresh.indexOf(first);
};

const isPreparation = ({ kind, path = "", alters }: Deed): boolean =>
  kind === "change"
    ? /(^|[/._-])(tests?|specs?|__tests__)([/._-]|$)/i.test(path)
    : kind !== "commit" && alters !== true;

/** A commit closes a span; what follows without doing anything belongs to the last. */
function spansOf(deeds: readonly Deed[]): Deed[][] {
  const spans: Deed[][] = [[]];
  for (const deed of deeds) {
    spans.at(-1)?.push(deed);
    if (deed.kind === "commit") spans.push([]);
  }
  const rest = spans.pop() ?? [];
  const last = spans.at(-1);
  if (last === undefined || rest.some(({ kind }) => kind === "change")) spans.push(rest);
  else last.push(...rest);
  return spans.filter((span) => span.length > 0);
}

/** The steps of one's own work that went wrong for a moment are not worth a title; a test that failed is. */
const isTold = ({ failed, isOlder }: Fix): boolean => isOlder || isTest(failed);

const isTest = ({ check }: Deed): boolean =>
  check?.classes.includes("test") === true && check.why?.isTest === true;

type Take = (deeds: readonly Deed[]) => Deed[];

function fixStory({ failed, deeds, files }: Fix, { phrases, words }: Scene, take: Take): Story {
  const { subject, message } = failureName(failed);
  const named = /\s/.test(subject) && !/[>/]/.test(subject) ? `"${subject}"` : subject;
  return {
    type: "bugfix",
    title: isTest(failed) ? phrases.fixTest(named, message) : phrases.fix(named, message),
    plainTitle: phrases.fix(failed.check?.name ?? "", ""),
    deeds: take(deeds),
    facts: [phrases.failedWith(subject, message, files)],
    narrative: words === "" ? undefined : shortened(mentioning(words, [subject, ...files]), NARRATIVE),
  };
}

/** The sentences that name one of these. */
function mentioning(words: string, names: readonly string[]): string {
  const stems = names.map((name) => name.split("/").at(-1) ?? name).filter((name) => name.length > 3);
  return words
    .split("\n")
    .filter((line) => stems.some((stem) => line.includes(stem)))
    .map(plain)
    .join("\n");
}

/** The story of a fix that is all that was done in the turn; in the words of the end, where the failure was our own. */
function joined(story: Story, more: readonly Deed[], scene: Scene): Story {
  const deeds = scene.fresh.filter((deed) => story.deeds.includes(deed) || more.includes(deed));
  const main = mainStory(deeds, scene, true);
  const isOwn = more.some(({ kind }) => kind === "change") && scene.words !== "";
  return {
    ...main,
    type: "bugfix",
    title: isOwn ? main.title : story.title,
    ...(isOwn || scene.words === "" ? {} : { subtitle: main.title }),
    facts: [...story.facts, ...main.facts],
  };
}

function failureStory(deed: Deed, { phrases }: Scene, take: Take): Story[] {
  const { subject, message } = failureName(deed);
  const name = deed.check?.name ?? "";
  const what = [subject === name ? "" : subject, message].filter(Boolean).join(": ");
  const titles = { title: phrases.fails(name, what), plainTitle: phrases.fails(name, "") };
  return [{ type: "discovery", ...titles, deeds: take([deed]), facts: [] }];
}

function researchStory({ fresh, phrases }: Scene, take: Take): Story[] {
  const deeds = take(fresh.filter(({ kind, failed }) => kind === "research" && !failed));
  const [first] = deeds;
  if (first === undefined) return [];
  const narrative = shortened(
    deeds.map(({ query, output }) => `${query}\n${shortened(output, 500)}`).join("\n\n"),
    NARRATIVE,
  );
  return [{ type: "discovery", title: phrases.lookUp(first.query ?? ""), deeds, narrative, facts: [] }];
}

/** Too short for a report: it was only started. */
const SHORTEST_REPORT = 80;

function reportStory(deed: Deed, { phrases }: Scene, take: Take): Story[] {
  if (deed.kind !== "delegate" || deed.failed || deed.output.length < SHORTEST_REPORT) return [];
  const title = phrases.subagent(deed.query ?? "");
  return [
    {
      type: "discovery",
      title,
      deeds: take([deed]),
      narrative: shortened(deed.output, NARRATIVE),
      facts: [],
    },
  ];
}

const answerPair = /"([^"]{3,300})"\s*=\s*"([^"]{1,300})"/g;

/** A question that was answered, a plan that was approved. */
function decisionStory(deed: Deed, { activity, phrases }: Scene, take: Take): Story[] {
  if (deed.failed) return [];
  if (deed.tool === "ExitPlanMode") {
    const plan = activity.plan?.text ?? "";
    const heading =
      plan
        .split("\n")
        .map((line) => plain(line.replace(/^#+\s*/, "")))
        .find((line) => line !== "") ?? "";
    const title = phrases.plan(heading.replace(/^plan:\s*/i, ""));
    return [
      { type: "decision", title, deeds: take([deed]), narrative: shortened(plan, NARRATIVE), facts: [] },
    ];
  }
  const answers = [...deed.output.matchAll(answerPair)].map(([, question = "", answer = ""]) => ({
    title: phrases.chosen(question, answer),
    fact: phrases.decided(question, answer),
  }));
  const [first] = answers;
  if (first === undefined) return [];
  const facts = answers.map(({ fact }) => fact);
  return [{ type: "decision", title: first.title, deeds: take([deed]), facts }];
}
