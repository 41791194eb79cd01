// Level 4, collapse: when the window fills up, early spans are replaced by one placeholder each instead of one summary of everything.
import { summariseSpan } from "../../compact/index.ts";
import type { EditOf, LedgerEntry, StagedSpan } from "../../ledger/index.ts";
import { defined, sha256, sumOf } from "../../lib/index.ts";
import type { History } from "../../messages/index.ts";
import { planThinking } from "../microcompact/clear.ts";
import { freedBy, type PlanContext, type PlannedEdit } from "../planContext.ts";
import { changesOldContent, draftOf, type Trial, tryOut } from "../record.ts";
import { type CollapseSettings, compactsAt } from "../settings.ts";
import {
  asStaged,
  type CollapseGround,
  findSpans,
  freedOf,
  groundFor,
  locateStagedSpans,
  pickSpans,
  placeholderBudget,
} from "./spans.ts";

type CollapseSnapshot = EditOf<"collapse-snapshot">;

export interface Collapsed {
  readonly trial: Trial;
  /** Why spans that are staged stay for now, and the entry that staged them. */
  readonly waiting?: { readonly mark: string; readonly why: string; readonly bound: boolean };
}

/** Spans that free less than this share of the room together are not worth the cache. */
const LEAST_COLLAPSED_SHARE = 0.05;

/** What is known when a request is about to be sent. Tokens are those of the conversation, without system and tools. */
interface Filling {
  readonly tokens: number;
  /** Tokens the conversation may take before anything has to be done. */
  readonly room: number;
  /** Old content is written to the cache anew with this request in any case. */
  readonly free: boolean;
}

/**
 * `stage`: choose spans, change nothing. `collapse`: replace them. `wait`: they are chosen and are replaced later. Once spans
 * went, or none could, the conversation must have grown before anything is done again.
 */
export function decideCollapse(
  { tokens, room, free }: Filling,
  { armed, lastSpawnTokens }: Pick<CollapseSnapshot, "armed" | "lastSpawnTokens">,
  { arm, spawn, growth }: CollapseSettings,
): "rest" | "stage" | "wait" | "collapse" {
  if (room <= 0 || tokens < arm * room) return "rest";
  if (!armed && lastSpawnTokens > 0 && tokens < lastSpawnTokens + growth * room) return "rest";
  if (free || tokens >= spawn * room) return "collapse";
  return armed ? "wait" : "stage";
}

const untouched: CollapseSnapshot = {
  kind: "collapse-snapshot",
  spans: [],
  armed: false,
  lastSpawnTokens: 0,
};

/**
 * The snapshot that counts. A compaction is a new beginning: what was staged before it is out of sight. `begun`: a crash
 * came between the first span that went and the snapshot that closes the collapse.
 */
export function currentSnapshot(
  active: readonly LedgerEntry[],
): { readonly id: string; readonly edit: CollapseSnapshot; readonly begun: boolean } | undefined {
  const at = active.findLastIndex(({ edit }) => ["collapse-snapshot", "replace-prefix"].includes(edit.kind));
  const last = active[at];
  if (last?.edit.kind !== "collapse-snapshot") return undefined;
  const begun = active.slice(at + 1).some(({ edit }) => edit.kind === "collapse-commit");
  return { id: last.id, edit: last.edit, begun };
}

/** The trial with spans staged or collapsed, when that is due; the trial itself while the level is off. */
export function collapse(trial: Trial, context: PlanContext): Collapsed {
  const { collapse: settings, autocompact } = context.settings;
  if (!settings.enabled) return { trial };
  const size = context.sizeOf(trial.after);
  const filling: Filling = {
    tokens: Math.round(size.tokens - size.fixed),
    room: compactsAt(autocompact, context.model.window) - size.fixed,
    free:
      context.outlook.predicted === "cold" || trial.drafts.some(({ planned }) => changesOldContent(planned)),
  };
  const snapshot = currentSnapshot(context.active);
  const state = snapshot?.edit ?? untouched;
  const due = snapshot?.begun && state.armed ? "collapse" : decideCollapse(filling, state, settings);
  if (due === "rest") return { trial };
  if (due === "collapse" && context.legality.editOld) {
    const collapsed = collapseSpans(trial, context, filling, state, snapshot?.begun === true);
    return collapsed ?? withSnapshot(trial, context, spent(filling.tokens));
  }
  const staged = state.armed
    ? { trial, mark: snapshot?.id ?? "" }
    : stageSpans(trial, context, filling, state.lastSpawnTokens);
  const why = context.legality.editOld
    ? `spans are staged, and go at ${Math.round(settings.spawn * filling.room)} tokens of conversation or with a cold cache`
    : context.legality.why;
  if (staged.mark === undefined) return { trial: staged.trial };
  return { trial: staged.trial, waiting: { mark: staged.mark, why, bound: !context.legality.editOld } };
}

/** The snapshot after a collapse: nothing is staged, and growth is measured from `tokens`. */
function spent(tokens: number): CollapseSnapshot {
  return { ...untouched, lastSpawnTokens: tokens };
}

/** Chooses what would bring the conversation down from where spans go; `mark` is undefined when that is nothing. */
function stageSpans(
  trial: Trial,
  context: PlanContext,
  { tokens, room }: Filling,
  lastSpawnTokens: number,
): { readonly trial: Trial; readonly mark: string | undefined } {
  const { collapse: settings } = context.settings;
  const ground = groundFor(context, trial.after.items, room);
  const need = Math.max(tokens, settings.spawn * room) - settings.target * room;
  const picked = pickSpans(findSpans(ground, settings, context.weigh), need);
  const freed = sumOf(picked, (span) => span.freed);
  const armed = freed >= LEAST_COLLAPSED_SHARE * room;
  const next: CollapseSnapshot = armed
    ? { ...untouched, spans: picked.map((span) => asStaged(span, ground.view)), armed, lastSpawnTokens }
    : spent(tokens);
  const { trial: staged } = withSnapshot(trial, context, next);
  return { trial: staged, mark: armed ? staged.drafts.at(-1)?.entry.id : undefined };
}

/** A snapshot changes nothing that is sent, so there is nothing to try out. */
function withSnapshot(trial: Trial, context: PlanContext, edit: CollapseSnapshot): Collapsed {
  const draft = draftOf(snapshotEdit(edit), context);
  return {
    trial: { ...trial, drafts: [...trial.drafts, draft], entries: [...trial.entries, draft.entry] },
  };
}

function snapshotEdit(edit: CollapseSnapshot): PlannedEdit {
  const why = edit.armed
    ? `${edit.spans.length} spans are ready to be collapsed`
    : "nothing is staged for a collapse any more";
  return { level: "collapse", why, edit, removed: [] };
}

/**
 * Collapses what was staged and still stands, and more where that is not enough; undefined when it is not worth it. All
 * spans are named before the first one goes: a process that finds the collapse begun finishes it.
 */
function collapseSpans(
  trial: Trial,
  context: PlanContext,
  { tokens, room }: Filling,
  { spans, lastSpawnTokens }: CollapseSnapshot,
  begun: boolean,
): Collapsed | undefined {
  const before = withoutBoundThinking(trial, context);
  if (!before) return undefined;
  const view = before.after.items;
  const leaving = spansToCollapse(context, view, begun ? 0 : tokens, room, spans);
  const commits = leaving.map((span) => planCommit(context, view, span));
  const freed = freedBy(commits);
  if (!begun && freed < LEAST_COLLAPSED_SHARE * room) return undefined;
  const left = begun ? lastSpawnTokens : tokens - freed;
  const opening: CollapseSnapshot = { ...untouched, spans: leaving, armed: true, lastSpawnTokens: left };
  const edits = [...(begun ? [] : [snapshotEdit(opening)]), ...commits, snapshotEdit(spent(left))];
  const drafts = [...before.drafts, ...edits.map((edit) => draftOf(edit, context))];
  const made = tryOut(drafts, context);
  const collapsed = made.drafts.some(({ entry }) => entry.edit.kind === "collapse-commit");
  if (!collapsed && !begun) return undefined;
  return { trial: { ...made, refused: [...before.refused, ...made.refused] } };
}

/** Where thinking is bound to what precedes it, it goes first; undefined where it cannot go. */
function withoutBoundThinking(trial: Trial, context: PlanContext) {
  const isGone = trial.drafts.some(({ entry }) => entry.edit.kind === "drop-thinking");
  if (!context.legality.dropAllThinking || isGone) return trial;
  const thinking = planThinking(context, true);
  if (!thinking) return trial;
  const planned = { ...thinking, level: "collapse" as const, why: "thinking is bound to what precedes it" };
  const draft = draftOf(planned, context);
  const made = tryOut([...trial.drafts, draft], context);
  if (!made.drafts.includes(draft)) return undefined;
  return { ...made, refused: [...trial.refused, ...made.refused] };
}

/** The staged spans that still stand, and others where `tokens` stay above the target without them. */
function spansToCollapse(
  context: PlanContext,
  view: History,
  tokens: number,
  room: number,
  staged: readonly StagedSpan[],
) {
  const { collapse: settings } = context.settings;
  const ground = groundFor(context, view, room);
  const standing = locateStagedSpans(staged, ground);
  const taken = new Set(standing.flatMap(({ start, end }) => view.slice(start, end)));
  const rest: CollapseGround = { ...ground, mayGo: (item) => ground.mayGo(item) && !taken.has(item) };
  const freed = sumOf(standing, ({ span }) => freedOf(span.tokens, settings));
  const missing = tokens - settings.target * room - freed;
  const more = missing > 0 ? pickSpans(findSpans(rest, settings, context.weigh), missing) : [];
  return [...standing.map(({ span }) => span), ...more.map((span) => asStaged(span, view))];
}

function planCommit(context: PlanContext, view: History, span: StagedSpan): PlannedEdit {
  const { firstArchivedUuid, lastArchivedUuid, wording, score } = span;
  const { history, settings, model, weigh } = context;
  const between = (items: History): History =>
    items.slice(
      items.findIndex(({ id }) => id === firstArchivedUuid),
      items.findIndex(({ id }) => id === lastArchivedUuid) + 1,
    );
  const before = sumOf(between(view), weigh);
  const originals = between(history);
  const made = summariseSpan({
    history: originals,
    budget: placeholderBudget(before, settings.collapse),
    family: model.tokenizer,
    ...defined({ wording }),
  });
  const collapseId = `c_${sha256(`${firstArchivedUuid}\0${lastArchivedUuid}`).slice(0, 16)}`;
  const summaryUuid = `${collapseId}:summary`;
  const exact = JSON.stringify(originals.map(({ message }) => message));
  return {
    level: "collapse",
    why: `${originals.length} early messages with a score of ${score}`,
    edit: {
      kind: "collapse-commit",
      collapseId,
      summaryUuid,
      summaryContent: made.text,
      firstArchivedUuid,
      lastArchivedUuid,
    },
    removed: [
      ...made.referred.map(({ content, handle }) => ({ content, handle })),
      { content: exact, json: true },
    ],
    tokens: { before, after: weigh({ id: summaryUuid, message: { role: "user", content: made.text } }) },
  };
}
