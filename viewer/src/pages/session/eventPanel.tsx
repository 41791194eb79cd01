// The panel of one change of the window: texts before and after, reason, tokens saved, recall and undo.
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
import { getJson, post } from "../../state/api.ts";
import { t, textFor } from "../../state/preferences.ts";
import { setFilters } from "../../state/route.ts";

/** A compaction has the same name on every lane; an edit is named by its level. */
export function eventName({ kind, level }: WindowEvent) {
  return kind === "edit" ? textFor(t.window.levels, level) : t.window.kinds[kind];
}

/** All changes of the window on the page, for the panel's previous and next buttons. */
export const shownEvents = signal<readonly WindowEvent[]>([]);
/** Grows with each undo, so that the chart loads again. */
export const windowVersion = signal(0);

interface EventProps {
  readonly session: string;
  readonly event: WindowEvent;
}

function Undo({ session, event: { id, undo, undone } }: EventProps) {
  const { window } = t;
  const { result, error, run } = useAction(async () => {
    const undoing = await post<Undoing>("/api/undo", { session, entry: id });
    windowVersion.value += 1;
    return undoing;
  });
  if (undone) return <p class="note">{window.isUndone}</p>;
  return (
    <>
      <p>
        <Button disabled={!undo.legal} onClick={run}>
          <Icon name="undo" />
          {window.undo}
        </Button>
      </p>
      {!undo.legal && <p class="note">{undo.reason ?? window.noUndo}</p>}
      <ProblemNote error={error} />
      {result && (
        <p class="note" role="status">
          {result.waiting ?? window.undoDone}
        </p>
      )}
    </>
  );
}

interface TextListProps {
  readonly title: string;
  readonly texts: readonly WindowText[];
  readonly leftOut: number;
}

function TextList({ title, texts, leftOut }: TextListProps) {
  return (
    <PanelSection title={title}>
      {texts.length === 0 && <p class="note">{t.window.nothingThere}</p>}
      {texts.map(({ speaker, text, cut, handle }, at) => (
        <div key={`${at} ${speaker}`}>
          <p class="tiny faint">
            {speaker}
            {handle && <span class="mono"> · {handle}</span>}
          </p>
          <TextBox label={`${title}: ${speaker}`}>
            {text}
            {cut > 0 && <span class="faint">{`\n${t.window.cut(compactCount(cut))}`}</span>}
          </TextBox>
        </div>
      ))}
      {leftOut > 0 && <p class="note">{t.window.leftOut(leftOut)}</p>}
    </PanelSection>
  );
}

function EventDetail({ session, event, ...texts }: WindowEventDetail & EventProps) {
  const { window } = t;
  const { at, by, why, before, after, handles } = event;
  const saved = before - after;
  return (
    <>
      <p class="small muted">
        {window.by[by]} · <Time at={at} as={dateTime} />
      </p>
      <h2>{eventName(event)}</h2>
      <p>{why}</p>
      <p class="num saved">
        {compactCount(before)} → {compactCount(after)}
        {saved > 0 && before > 0 && (
          <strong> {window.saved(compactCount(saved), percent(saved / before))}</strong>
        )}
      </p>
      <Undo session={session} event={event} />
      {handles.length > 0 && (
        <PanelSection title={window.handles}>
          <Recalls handles={handles} />
        </PanelSection>
      )}
      {(["before", "after"] as const).map((side) => (
        <TextList key={side} title={window[side]} texts={texts[side]} leftOut={texts.leftOut[side]} />
      ))}
    </>
  );
}

function EventSteps({ event }: { readonly event: string }) {
  const events = shownEvents.value;
  const at = events.findIndex(({ id }) => id === event);
  if (at === -1 || events.length < 2) return null;
  const step = (to: number, label: string, icon: "back" | "next") => (
    <Button
      class="quiet"
      disabled={events[to] === undefined}
      aria-label={label}
      onClick={() => setFilters({ event: events[to]?.id ?? event }, "replace")}
    >
      <Icon name={icon} />
    </Button>
  );
  return (
    <span class="neighbours num">
      {step(at - 1, t.window.previousEvent, "back")}
      {t.window.eventOf(at + 1, events.length)}
      {step(at + 1, t.window.nextEvent, "next")}
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
      <EventSteps event={event} />
    </>
  );
  return (
    <Panel class="panel wide" label={t.window.eventLabel} head={head}>
      <Loaded from={resource}>{(detail) => <EventDetail {...detail} session={session} />}</Loaded>
    </Panel>
  );
}

export const Recalls = ({ handles }: Pick<WindowEvent, "handles">) =>
  handles.map((handle) => <Recall key={handle} handle={handle} />);

/** Reads the exact text behind a handle, page by page. */
function Recall({ handle }: { readonly handle: string }) {
  const { window } = t;
  const [page, setPage] = useState<Pick<RecallPage, "text" | "bytes" | "next">>();
  const { error, run } = useAction(async () => {
    const next = await getJson<RecallPage>("/api/recall", { handle, offset: page?.next ?? 0 });
    setPage({ ...next, text: (page?.text ?? "") + next.text });
  });
  return (
    <div class="recall">
      <p class="small">
        <code>{handle}</code>{" "}
        {(page === undefined || page.next !== undefined) && (
          <Button class="link" onClick={run}>
            {page ? window.recallMore : window.recall}
          </Button>
        )}
        {page && <span class="faint"> {window.recalled(bytes(page.bytes))}</span>}
      </p>
      <ProblemNote error={error} />
      {page && <TextBox label={window.recalledText(handle)}>{page.text}</TextBox>}
    </div>
  );
}
