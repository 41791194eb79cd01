// What is kept of a session: the files it touched, its notes, its snapshots and archives.
import type { SessionDetail } from "../../../../src/http/wire.ts";
import { bytes, dateTime } from "../../components/format.ts";
import { DataTable, Empty, PageSection } from "../../components/layout.tsx";
import { Markdown } from "../../components/markdown.tsx";
import { t } from "../../state/preferences.ts";
import { addressOf } from "../../state/route.ts";
import { Recalls } from "./eventPanel.tsx";

export function FilesView({ files }: SessionDetail) {
  const { session } = t;
  if (files.length === 0) return <Empty title={session.noFiles}>{session.noFilesHelp}</Empty>;
  return (
    <DataTable
      heads={[session.file, session.changes, session.reads]}
      rows={files
        .toSorted((a, b) => b.changes - a.changes || b.reads - a.reads)
        .map(({ path: file, changes, reads }) => [
          <a key="" class="mono plain" data-line href={addressOf({ page: "timeline", filters: { file } })}>
            {file}
          </a>,
          changes || "",
          reads || "",
        ])}
    />
  );
}

export function NotesView({ notes }: SessionDetail) {
  if (notes === undefined) return <Empty title={t.session.noNotes}>{t.session.noNotesHelp}</Empty>;
  return (
    <div class="narrow">
      <Markdown text={notes} />
    </div>
  );
}

/** What a snapshot states, each with the rows of the transcript that say so. */
function Statements({ of }: { readonly of: SessionDetail["snapshots"][number]["statements"] }) {
  const { statementKinds, noRows } = t.session;
  return of.map(({ kind, text, rows }) => (
    <details key={`${kind} ${text}`}>
      <summary>
        {statementKinds[kind]}: {text}
      </summary>
      {rows.length === 0 && <p class="small muted">{noRows}</p>}
      {rows.map(({ id, excerpt }) => (
        <blockquote key={id} class="small">
          {excerpt} <span class="mono muted">{id}</span>
        </blockquote>
      ))}
    </details>
  ));
}

export function KeptFilesView({ snapshots, archives, session: { claudeSessionId } }: SessionDetail) {
  const { session } = t;
  return (
    <>
      <PageSection title={session.snapshots}>
        {snapshots.length === 0 && <p class="muted">{session.noSnapshots}</p>}
        <ul>
          {snapshots.map(({ id, at, handles, bytes: size, statements }) => (
            <li key={id}>
              <p class="small num">
                <span class="mono">{id}</span> · {dateTime(at)} ·{" "}
                {size === undefined ? session.cleanedUp : bytes(size)}
              </p>
              <Recalls handles={handles} />
              <Statements of={statements} />
            </li>
          ))}
        </ul>
      </PageSection>
      <PageSection title={session.archives}>
        {archives.length === 0 && <p class="muted">{session.noArchives}</p>}
        <DataTable
          rows={archives.map(({ name, at, bytes: size }) => [
            <span key="" class="mono">
              {name}
            </span>,
            dateTime(at),
            bytes(size),
          ])}
        />
      </PageSection>
      <PageSection title={session.resume}>
        <pre class="command">claude --resume {claudeSessionId}</pre>
      </PageSection>
    </>
  );
}
