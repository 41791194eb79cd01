// Every session, the last active first.
import { useEffect, useState } from "preact/hooks";
import type { SessionCard } from "../../../../src/http/wire.ts";
import type { Page } from "../../../../src/store/index.ts";
import { dateTime } from "../../components/format.ts";
import { Icon } from "../../components/icon.tsx";
import { Empty, Time } from "../../components/layout.tsx";
import { ProblemNote, Skeleton, toApiError } from "../../components/resource.tsx";
import { VirtualList } from "../../components/virtualList.tsx";
import { type ApiError, getJson, projectName, reconnects } from "../../state/api.ts";
import { t } from "../../state/preferences.ts";
import { getFilter, sessionLink } from "../../state/route.ts";

const PAGE_SIZE = 100;

interface LoadedSessions {
  readonly items: readonly SessionCard[];
  readonly next?: string | undefined;
  readonly isAsked: boolean;
  readonly error?: ApiError;
}

/** Reads on when the end of what was read comes into view. */
function useSessions(project: string) {
  const [read, setRead] = useState<LoadedSessions>({ items: [], isAsked: true });
  const [turn, setTurn] = useState(0);
  const load = (before: readonly SessionCard[], cursor: string | undefined, signal?: AbortSignal) => {
    setRead(({ items }) => ({ items, isAsked: true }));
    getJson<Page<SessionCard>>("/api/sessions", { project, cursor, limit: PAGE_SIZE }, signal).then(
      ({ items, next }) => setRead({ items: [...before, ...items], isAsked: false, next }),
      (error) =>
        signal?.aborted || setRead(({ items }) => ({ items, isAsked: false, error: toApiError(error) })),
    );
  };
  useEffect(() => {
    const control = new AbortController();
    setRead({ items: [], isAsked: true });
    load([], undefined, control.signal);
    return () => control.abort();
  }, [project, turn, reconnects.value]);
  const more = () => {
    if (!read.isAsked && read.next !== undefined) load(read.items, read.next);
  };
  return { ...read, more, reload: () => setTurn((n) => n + 1) };
}

function SessionRow({ card }: { readonly card: SessionCard }) {
  const { sessions } = t.value;
  return (
    <a class="line" data-line href={sessionLink(card.claudeSessionId)}>
      <span class={card.status === "active" ? "dot on" : "dot done"} title={sessions[card.status]} />
      <span class="two">
        <span class="clip name">{card.title}</span>
        <span class="clip tiny faint">
          {projectName(card.project)} · {dateTime(card.createdAt)} ·{" "}
          {sessions.counts(card.promptCounter, card.observations)}
        </span>
      </span>
      <span class="side">
        {card.status === "active" && <span class="tag good">{sessions.active}</span>}
        <Time at={card.lastActivityAt} />
        <Icon name="next" />
      </span>
    </a>
  );
}

const keyOf = ({ claudeSessionId }: SessionCard) => claudeSessionId;
const heightOf = () => 54;

export default function Sessions() {
  const { nav, sessions } = t.value;
  const { items, isAsked, error, more, reload } = useSessions(getFilter("project"));
  return (
    <div class="page filled">
      <div class="page-head">
        <h1>{nav.sessions}</h1>
      </div>
      <ProblemNote error={error} retry={reload} />
      {items.length > 0 ? (
        <VirtualList
          rows={items}
          label={nav.sessions}
          keyOf={keyOf}
          heightOf={heightOf}
          render={(card) => <SessionRow card={card} />}
          onSeen={(_, end) => end > items.length - 20 && more()}
        />
      ) : isAsked ? (
        <Skeleton />
      ) : (
        error === undefined && (
          <Empty title={sessions.empty} command="throughline install">
            {sessions.emptyHelp}
          </Empty>
        )
      )}
    </div>
  );
}
