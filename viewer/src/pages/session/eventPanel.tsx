// One change of the window: what was there, what stands there now, why, what it saved, and the way back.
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import type {
  RecallPage,
  Undoing,
  WindowEvent,
  WindowEventDetail,
  WindowText,
} from "../../../../src/http/wire.ts";
import { bytes, compactCount, dateTime, percent } from "../../components/format.ts";
import { Icon } from "../../components/icon.tsx";
import { Button, Panel, PanelSection, TextBox, Time } from "../../components/layout.tsx";
import { Loaded, ProblemNote, useAction, useResource } from "../../components/resource.tsx";
import { getJson, postJson } from "../../state/api.ts";
import { t, textFor } from "../../state/preferences.ts";
import { setFilters } from "../../state/route.ts";

/** A compaction is called one, on every lane; an edit is called by what it does. */
export function eventName({ kind, level }: WindowEvent): string {
  const { window: words } = t.value;
  return kind === "edit" ? textFor(words.levels, level) : words.kinds[kind];
}

/** All changes of the window that is shown, so that one can go from one to the next. */
export const shownEvents = signal<readonly WindowEvent[]>([]);
/** Grows when something was undone: the chart asks again. */
export const windowVersion = signal(0);

function Undo({ session, event }: { readonly session: string; readonly event: WindowEvent }) {
  const { window: words } = t.value;
  const { result, error, attempt } = useAction<Undoing>();
  const undo = () =>
    attempt(async () => {
      const undoing = await postJson<Undoing>("/api/undo", { session, entry: event.id });
      windowVersion.value += 1;
      return undoing;
    });
  if (event.undone) return <p class="note">{words.isUndone}</p>;
  return (
    <>
      <p>
        <Button disabled={!event.undo.legal} onClick={undo}>
          <Icon name="undo" />
          {words.undo}
        </Button>
      </p>
      {!event.undo.legal && <p class="note">{event.undo.reason ?? words.noUndo}</p>}
      <ProblemNote error={error} />
      {result !== undefined && (
        <p class="note" role="status">
          {result.waiting ?? words.undoDone}
        </p>
      )}
    </>
  );
}

function TextList({
  title,
  texts,
  leftOut,
}: {
  title: string;
  texts: readonly WindowText[];
  leftOut: number;
}) {
  const { window: words } = t.value;
  return (
    <PanelSection title={title}>
      {texts.length === 0 && <p class="note">{words.nothingThere}</p>}
      {texts.map(({ speaker, text, cut, handle }, at) => (
        <div key={`${at} ${speaker}`}>
          <p class="tiny faint">
            {speaker}
            {handle !== undefined && <span class="mono"> · {handle}</span>}
          </p>
          <TextBox label={`${title}: ${speaker}`}>
            {text}
            {cut > 0 && <span class="faint">{`\n${words.cut(compactCount(cut))}`}</span>}
          </TextBox>
        </div>
      ))}
      {leftOut > 0 && <p class="note">{words.leftOut(leftOut)}</p>}
    </PanelSection>
  );
}

function Detail({ session, detail }: { readonly session: string; readonly detail: WindowEventDetail }) {
  const { window: words } = t.value;
  const { event, before, after, leftOut } = detail;
  const saved = event.before - event.after;
  return (
    <>
      <p class="small muted">
        {words.by[event.by]} · <Time at={event.at} as={dateTime} />
      </p>
      <h2>{eventName(event)}</h2>
      <p>{event.why}</p>
      <p class="num saved">
        {compactCount(event.before)} → {compactCount(event.after)}
        {saved > 0 && event.before > 0 && (
          <strong> {words.saved(compactCount(saved), percent(saved / event.before))}</strong>
        )}
      </p>
      <Undo session={session} event={event} />
      {event.handles.length > 0 && (
        <PanelSection title={words.handles}>
          {event.handles.map((handle) => (
            <Recall key={handle} handle={handle} />
          ))}
        </PanelSection>
      )}
      <TextList title={words.before} texts={before} leftOut={leftOut.before} />
      <TextList title={words.after} texts={after} leftOut={leftOut.after} />
    </>
  );
}

function Neighbours({ event }: { readonly event: string }) {
  const { window: words } = t.value;
  const events = shownEvents.value;
  const at = events.findIndex(({ id }) => id === event);
  if (at === -1 || events.length < 2) return null;
  const step = (to: number) => ({
    class: "quiet",
    disabled: events[to] === undefined,
    onClick: () => setFilters({ event: events[to]?.id ?? event }, "replace"),
  });
  return (
    <span class="neighbours num">
      <Button {...step(at - 1)} aria-label={words.previousEvent}>
        <Icon name="back" />
      </Button>
      {words.eventOf(at + 1, events.length)}
      <Button {...step(at + 1)} aria-label={words.nextEvent}>
        <Icon name="next" />
      </Button>
    </span>
  );
}

export function EventPanel({ session, event }: { readonly session: string; readonly event: string }) {
  const resource = useResource<WindowEventDetail>(
    "/api/window/event",
    { session, event },
    windowVersion.value,
  );
  const head = (
    <>
      <span class="mono clip">{event}</span>
      <Neighbours event={event} />
    </>
  );
  return (
    <Panel class="panel wide" label={t.value.window.eventLabel} head={head}>
      <Loaded from={resource} lines={6}>
        {(detail) => <Detail session={session} detail={detail} />}
      </Loaded>
    </Panel>
  );
}

export function Recall({ handle }: { readonly handle: string }) {
  const { window: words } = t.value;
  const [text, setText] = useState<string>();
  const [next, setNext] = useState<number | undefined>(0);
  const [size, setSize] = useState(0);
  const { error, attempt } = useAction();
  const more = () =>
    attempt(async () => {
      const page = await getJson<RecallPage>("/api/recall", { handle, offset: next });
      setText((before = "") => before + page.text);
      setNext(page.next);
      setSize(page.bytes);
    });
  return (
    <div class="recall">
      <p class="small">
        <code>{handle}</code>{" "}
        {next !== undefined && (
          <Button class="link" onClick={more}>
            {text === undefined ? words.recall : words.recallMore}
          </Button>
        )}
        {text !== undefined && <span class="faint"> {words.recalled(bytes(size))}</span>}
      </p>
      <ProblemNote error={error} />
      {text !== undefined && <TextBox label={words.recalledText(handle)}>{text}</TextBox>}
    </div>
  );
}
