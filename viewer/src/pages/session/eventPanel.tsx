// One change of the window: what was there, what stands there now, why, what it saved, and the way back.
import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Undoing, WindowEvent, WindowEventDetail, WindowText } from "../../../../src/http/wire.ts";
import { closeItem } from "../../keyboard.ts";
import { count, dateTime, percent } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { TextBox } from "../../parts/reading.tsx";
import { asProblem, useResource } from "../../parts/resource.ts";
import { Bones, ProblemNote } from "../../parts/states.tsx";
import { t } from "../../state/look.ts";
import { filter } from "../../state/place.ts";
import { reader } from "../../state/reader.ts";
import { ask, tell, type WireError } from "../../wire.ts";
import { Recall } from "./recall.tsx";

/** A compaction is one, whoever did it; an edit is called by what it does. */
export function eventName({ kind, level }: WindowEvent): string {
  const { window: words } = t.value;
  const levels: Readonly<Record<string, string>> = words.levels;
  return kind === "edit" ? (levels[level] ?? level) : words.kinds[kind];
}

/** All changes of the window that is shown, so that one can go from one to the next. */
export const windowEvents = signal<readonly WindowEvent[]>([]);
/** Grows when something was undone: the chart asks again. */
export const windowTurn = signal(0);

function Undo({ session, event }: { readonly session: string; readonly event: WindowEvent }) {
  const { window: words } = t.value;
  const [outcome, setOutcome] = useState<Undoing | WireError>();
  const undo = async (): Promise<void> => {
    try {
      setOutcome(await tell<Undoing>("/api/undo", { session, entry: event.id }));
      windowTurn.value += 1;
    } catch (problem) {
      setOutcome(asProblem(problem));
    }
  };
  if (event.undone) return <p class="note">{words.isUndone}</p>;
  return (
    <>
      <p>
        <button type="button" class="button" disabled={!event.undo.legal} onClick={() => void undo()}>
          <Icon name="undo" />
          {words.undo}
        </button>
      </p>
      {!event.undo.legal && <p class="note">{event.undo.reason ?? words.noUndo}</p>}
      {outcome instanceof Error && <ProblemNote error={outcome} />}
      {outcome !== undefined && !(outcome instanceof Error) && (
        <p class="note" role="status">
          {outcome.waiting ?? words.undoDone}
        </p>
      )}
    </>
  );
}

function Texts({ title, texts, leftOut }: { title: string; texts: readonly WindowText[]; leftOut: number }) {
  const { window: words } = t.value;
  return (
    <section>
      <h3>{title}</h3>
      {texts.length === 0 && <p class="note">{words.nothingThere}</p>}
      {texts.map(({ speaker, text, cut, handle }, at) => (
        <div key={`${at} ${speaker}`}>
          <p class="tiny faint">
            {speaker}
            {handle !== undefined && <span class="mono"> · {handle}</span>}
          </p>
          <TextBox label={`${title}: ${speaker}`}>
            {text}
            {cut > 0 && <span class="faint">{`\n${words.cut(count(cut, reader.value))}`}</span>}
          </TextBox>
        </div>
      ))}
      {leftOut > 0 && <p class="note">{words.leftOut(leftOut)}</p>}
    </section>
  );
}

function Detail({ session, detail }: { readonly session: string; readonly detail: WindowEventDetail }) {
  const { window: words } = t.value;
  const { event, before, after, leftOut } = detail;
  const saved = event.before - event.after;
  const tokens = (value: number): string => count(value, reader.value);
  return (
    <>
      <p class="small muted">
        {words.by[event.by]} · <time dateTime={event.at}>{dateTime(event.at, reader.value)}</time>
      </p>
      <h2>{eventName(event)}</h2>
      <p>{event.why}</p>
      <p class="num saved">
        {tokens(event.before)} → {tokens(event.after)}
        {saved > 0 && event.before > 0 && (
          <strong> {words.saved(tokens(saved), percent(saved / event.before))}</strong>
        )}
      </p>
      <Undo session={session} event={event} />
      {event.handles.length > 0 && (
        <section>
          <h3>{words.handles}</h3>
          {event.handles.map((handle) => (
            <Recall key={handle} handle={handle} />
          ))}
        </section>
      )}
      <Texts title={words.before} texts={before} leftOut={leftOut.before} />
      <Texts title={words.after} texts={after} leftOut={leftOut.after} />
    </>
  );
}

function Neighbours({ event }: { readonly event: string }) {
  const { window: words } = t.value;
  const events = windowEvents.value;
  const at = events.findIndex(({ id }) => id === event);
  if (at === -1 || events.length < 2) return null;
  const step = (to: number) => ({
    type: "button" as const,
    class: "quiet",
    disabled: events[to] === undefined,
    onClick: () => filter({ event: events[to]?.id ?? event }, "replace"),
  });
  return (
    <span class="neighbours num">
      <button {...step(at - 1)} aria-label={words.previousEvent}>
        <Icon name="back" />
      </button>
      {words.eventOf(at + 1, events.length)}
      <button {...step(at + 1)} aria-label={words.nextEvent}>
        <Icon name="next" />
      </button>
    </span>
  );
}

export function EventPanel({ session, event }: { readonly session: string; readonly event: string }) {
  const { window: words } = t.value;
  const { data, error, reload } = useResource(`${session} ${event} ${windowTurn.value}`, (abort) =>
    ask<WindowEventDetail>("/api/window/event", { session, event }, abort),
  );
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.focus({ preventScroll: true }), [event]);
  return (
    <aside class="panel wide" ref={panel} tabIndex={-1} aria-label={words.eventLabel}>
      <div class="panel-head">
        <span class="mono clip">{event}</span>
        <Neighbours event={event} />
        <button type="button" class="quiet" aria-label={t.value.close} onClick={closeItem}>
          <Icon name="close" />
        </button>
      </div>
      {error !== undefined && <ProblemNote error={error} retry={reload} />}
      {data?.event.id === event ? (
        <Detail key={event} session={session} detail={data} />
      ) : (
        error === undefined && <Bones lines={6} />
      )}
    </aside>
  );
}
