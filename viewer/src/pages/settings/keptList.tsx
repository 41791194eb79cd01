// What is kept of something, counted: rows, bytes, folders, files.
import type { Kept } from "../../../../src/http/wire.ts";
import { bytes } from "../../parts/format.ts";
import { t } from "../../state/look.ts";

export function KeptList({ kept }: { readonly kept: Kept }) {
  const { privacy, stats } = t.value;
  const names: Readonly<Record<string, string>> = { ...stats.counts, jobs: privacy.jobs };
  return (
    <dl class="facts small num">
      {Object.entries(kept.rows).map(([name, count]) => (
        <>
          <dt key={`${name} name`}>{names[name] ?? name}</dt>
          <dd key={name}>{count.toLocaleString()}</dd>
        </>
      ))}
      <dt>{privacy.vault}</dt>
      <dd>
        {kept.vault.blobs.toLocaleString()} ({bytes(kept.vault.bytes)})
      </dd>
      <dt>{privacy.folders}</dt>
      <dd>{kept.folders.length.toLocaleString()}</dd>
      <dt>{privacy.spooled}</dt>
      <dd>{kept.spooled.toLocaleString()}</dd>
      <dt>{privacy.archives}</dt>
      <dd>{kept.archives.length.toLocaleString()}</dd>
    </dl>
  );
}
