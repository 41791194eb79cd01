// What belongs to a session beside its story: the files it touched, its snapshots and its archives.

import type { SessionDetail } from "../../../../src/http/wire.ts";
import type { TouchedFile } from "../../../../src/store/index.ts";
import { bytes, dateTime } from "../../parts/format.ts";
import { Empty } from "../../parts/states.tsx";
import { addressOf } from "../../state/address.ts";
import { t } from "../../state/look.ts";
import { reader } from "../../state/reader.ts";
import { Recall } from "./recall.tsx";

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

type Snapshot = SessionDetail["snapshots"][number];

function SnapshotBlock({ id, at, handles, bytes: size }: Snapshot) {
  const { session } = t.value;
  return (
    <li>
      <p class="small num">
        <span class="mono">{id}</span> · {dateTime(at, reader.value)} ·{" "}
        {size === undefined ? session.cleanedUp : bytes(size)}
      </p>
      {handles.map((handle) => (
        <Recall key={handle} handle={handle} />
      ))}
    </li>
  );
}

function Archives({ archives }: Pick<SessionDetail, "archives">) {
  return (
    <div class="scrolls-x">
      <table class="table">
        <tbody>
          {archives.map(({ name, at, bytes: size }) => (
            <tr key={name}>
              <th scope="row" class="mono">
                {name}
              </th>
              <td class="num">{dateTime(at, reader.value)}</td>
              <td class="end num muted">{bytes(size)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Kept({ detail }: { readonly detail: SessionDetail }) {
  const { session } = t.value;
  const { snapshots, archives, session: card } = detail;
  return (
    <>
      <section class="block">
        <h2>{session.snapshots}</h2>
        {snapshots.length === 0 ? (
          <p class="muted">{session.noSnapshots}</p>
        ) : (
          <ul>
            {snapshots.map((snapshot) => (
              <SnapshotBlock key={snapshot.id} {...snapshot} />
            ))}
          </ul>
        )}
      </section>
      <section class="block">
        <h2>{session.archives}</h2>
        {archives.length === 0 ? <p class="muted">{session.noArchives}</p> : <Archives archives={archives} />}
      </section>
      <section class="block">
        <h2>{session.resume}</h2>
        <pre class="command">claude --resume {card.claudeSessionId}</pre>
      </section>
    </>
  );
}
