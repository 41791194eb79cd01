// The list of all sessions, the last active first.
import { useState } from "preact/hooks";
import type { SessionCard } from "../../../../src/http/wire.ts";
import type { Page } from "../../../../src/store/index.ts";
import { dateTime } from "../../components/format.ts";
import { Icon } from "../../components/icon.tsx";
import { Empty, PageFrame, Time } from "../../components/layout.tsx";
import { LoadedList, useLoading } from "../../components/resource.tsx";
import { VirtualList } from "../../components/virtualList.tsx";
import { getJson, projectName, reconnects } from "../../state/api.ts";
import { t } from "../../state/preferences.ts";
import { getFilter, sessionLink } from "../../state/route.ts";
import { SessionFigures } from "../home/sessions.tsx";

const SESSIONS_PER_PAGE = 100;

function SessionRow({ card }: { readonly card: SessionCard }) {
  const { claudeSessionId, status } = card;
  return (
    <a class="line" data-line href={sessionLink(claudeSessionId)}>
      <span class={status === "active" ? "dot on" : "dot done"} title={t.sessions[status]} />
      <span class="two">
        <span class="clip name">{card.title || t.sessions.untitled}</span>
        <span class="clip tiny faint">
          {projectName(card.project)} · {dateTime(card.createdAt)} ·{" "}
          {t.sessions.counts(card.promptCounter, card.observations)}
        </span>
      </span>
      <span class="side">
        {status === "active" && <span class="tag good">{t.sessions.active}</span>}
        <SessionFigures {...card} />
        <Time at={card.lastActivityAt} />
        <Icon name="next" />
      </span>
    </a>
  );
}

const rowHeight = () => 54;

/** Loads the next page when the end of the list comes into view. */
function SessionList({ project }: { readonly project: string }) {
  const [rows, setRows] = useState<readonly { readonly key: string; readonly card: SessionCard }[]>([]);
  const [cursor, setCursor] = useState<string>();
  const [next, setNext] = useState<string>();
  const loading = useLoading(
    async (signal) => {
      const query = { project, cursor, limit: SESSIONS_PER_PAGE };
      const page = await getJson<Page<SessionCard>>("/api/sessions", query, signal);
      setRows((before) => [...before, ...page.items.map((card) => ({ key: card.claudeSessionId, card }))]);
      setNext(page.next);
    },
    [cursor],
  );
  const empty = (
    <Empty title={t.sessions.empty} command="throughline install">
      {t.sessions.emptyHelp}
    </Empty>
  );
  return (
    <LoadedList from={loading} empty={empty}>
      {rows.length > 0 && (
        <VirtualList
          rows={rows}
          label={t.nav.sessions}
          heightOf={rowHeight}
          render={({ card }) => <SessionRow card={card} />}
          onSeen={(_, end) => next !== undefined && end > rows.length - 20 && setCursor(next)}
        />
      )}
    </LoadedList>
  );
}

export default function Sessions() {
  const project = getFilter("project");
  return (
    <PageFrame title={t.nav.sessions} class="page filled">
      <SessionList key={`${project} ${reconnects.value}`} project={project} />
    </PageFrame>
  );
}
