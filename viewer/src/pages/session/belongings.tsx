// What belongs to a session beside its story: the files it touched, its snapshots and its archives.
import type { SessionDetail, TouchedFile } from "../../../../src/worker/http/wire.ts";
import { bytes, dateTime } from "../../parts/format.ts";
import { Empty } from "../../parts/states.tsx";
import { addressOf } from "../../state/address.ts";
import { t } from "../../state/look.ts";
import { reader } from "../../state/reader.ts";

export function Files({ files }: { readonly files: readonly TouchedFile[] }) {
  const { session } = t.value;
  if (files.length === 0) return <Empty title={session.noFiles}>{session.noFilesHelp}</Empty>;
  const sorted = files.toSorted((a, b) => b.changes - a.changes || b.reads - a.reads);
  return (
    <div class="scrolls-x">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{session.file}</th>
            <th scope="col" class="end">
              {session.changes}
            </th>
            <th scope="col" class="end">
              {session.reads}
            </th>
          </tr>
        </thead>
        <tbody>
          {sorted.map(({ path, reads, changes }) => (
            <tr key={path}>
              <td>
                <a
                  class="mono plain"
                  data-line
                  href={addressOf({ page: "timeline", filters: { file: path } })}
                >
                  {path}
                </a>
              </td>
              <td class="end num">{changes > 0 ? changes : ""}</td>
              <td class="end num">{reads > 0 ? reads : ""}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface KeptTableProps {
  readonly title: string;
  readonly none: string;
  readonly rows: readonly (readonly [name: string, at: string, detail: string])[];
}

function KeptTable({ title, none, rows }: KeptTableProps) {
  return (
    <section class="block">
      <h2>{title}</h2>
      {rows.length === 0 ? (
        <p class="muted">{none}</p>
      ) : (
        <div class="scrolls-x">
          <table class="table">
            <tbody>
              {rows.map(([name, at, detail]) => (
                <tr key={name}>
                  <th scope="row" class="mono">
                    {name}
                  </th>
                  <td class="num">{dateTime(at, reader.value)}</td>
                  <td class="end num muted">{detail}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

export function Kept({ detail }: { readonly detail: SessionDetail }) {
  const { session } = t.value;
  const { snapshots, archives, session: card } = detail;
  return (
    <>
      <KeptTable
        title={session.snapshots}
        none={session.noSnapshots}
        rows={snapshots.map(({ id, at, turns, bytes: size }) => [
          id,
          at,
          `${session.turns(turns)} · ${bytes(size)}`,
        ])}
      />
      <KeptTable
        title={session.archives}
        none={session.noArchives}
        rows={archives.map(({ name, at, bytes: size }) => [name, at, bytes(size)])}
      />
      <section class="block">
        <h2>{session.resume}</h2>
        <pre class="command">claude --resume {card.claudeSessionId}</pre>
      </section>
    </>
  );
}
