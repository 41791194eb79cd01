// One session whole: what was asked, what came of it, what its window held, the files, the notes, the cost.
import type { ComponentChildren } from "preact";
import type { SessionDetail } from "../../../../src/http/wire.ts";
import { dateTime } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { ItemPanel } from "../../parts/itemPanel.tsx";
import { Markdown } from "../../parts/markdown.tsx";
import { useResource } from "../../parts/resource.ts";
import { Bones, Empty, ProblemNote } from "../../parts/states.tsx";
import { t } from "../../state/look.ts";
import { filter, filtered, linkTo, place } from "../../state/place.ts";
import { reader } from "../../state/reader.ts";
import { ask } from "../../wire.ts";
import { Files, Kept } from "./belongings.tsx";
import { Cost } from "./cost.tsx";
import { EventPanel } from "./eventPanel.tsx";
import { Story } from "./story.tsx";
import { WindowView } from "./windowView.tsx";

const views = ["story", "window", "files", "notes", "kept"] as const;

type View = (typeof views)[number];

function viewNow(): View {
  return views.find((view) => view === filtered("view")) ?? "story";
}

function Tabs() {
  const { session } = t.value;
  const now = viewNow();
  return (
    <nav class="tabs" aria-label={session.views}>
      {views.map((view) => (
        <button
          key={view}
          type="button"
          aria-current={view === now ? "page" : undefined}
          onClick={() => filter({ view: view === "story" ? "" : view, item: "", event: "" })}
        >
          {session[view]}
        </button>
      ))}
    </nav>
  );
}

function Head({ detail }: { readonly detail: SessionDetail }) {
  const { session: words, sessions } = t.value;
  const { session, projectName, lanes, cost } = detail;
  return (
    <header class="session-head">
      <a class="small" href={linkTo("sessions")}>
        <Icon name="back" /> {t.value.nav.sessions}
      </a>
      <h1>{session.title}</h1>
      <p class="about small muted num">
        <span>{projectName}</span>
        <time dateTime={session.createdAt}>{dateTime(session.createdAt, reader.value)}</time>
        <span>{sessions[session.status]}</span>
        <span>{sessions.counts(session.promptCounter, session.observations)}</span>
        {lanes.length > 0 && <span>{words.lanes(lanes.join(", "))}</span>}
      </p>
      {cost !== undefined && <Cost cost={cost} />}
    </header>
  );
}

function Notes({ notes }: { readonly notes: string | undefined }) {
  const { session } = t.value;
  if (notes === undefined) return <Empty title={session.noNotes}>{session.noNotesHelp}</Empty>;
  return (
    <div class="narrow">
      <Markdown text={notes} />
    </div>
  );
}

function Body({ detail }: { readonly detail: SessionDetail }): ComponentChildren {
  const view = viewNow();
  const id = detail.session.claudeSessionId;
  if (view === "window") return <WindowView session={id} showsCost={detail.cost === undefined} />;
  if (view === "files") return <Files files={detail.files} />;
  if (view === "notes") return <Notes notes={detail.notes} />;
  if (view === "kept") return <Kept detail={detail} />;
  return <Story session={id} />;
}

export default function SessionPage() {
  const id = place.value.id ?? "";
  const { data, error, reload } = useResource(id, (signal) =>
    ask<SessionDetail>("/api/session", { id }, signal),
  );
  const isCurrent = data?.session.claudeSessionId === id;
  const [item, event] = [filtered("item"), filtered("event")];
  return (
    <div class="beside">
      <div class={viewNow() === "story" ? "page filled" : "page"}>
        {error !== undefined && <ProblemNote error={error} retry={reload} />}
        {data === undefined || !isCurrent ? (
          error === undefined && <Bones />
        ) : (
          <>
            <Head detail={data} />
            <Tabs />
            <Body detail={data} />
          </>
        )}
      </div>
      {item !== "" && <ItemPanel item={item} />}
      {event !== "" && viewNow() === "window" && <EventPanel session={id} event={event} />}
    </div>
  );
}
