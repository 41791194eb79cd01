// The settings page: every setting with the source of its value, privacy, a test of the model, export and import.
import type { Setting } from "../../../../src/config/index.ts";
import type { Imported, ProviderTest, SettingsView } from "../../../../src/http/wire.ts";
import { groupBy } from "../../components/grouped.ts";
import { Bullets, Button, onValue, PageFrame, PageSection } from "../../components/layout.tsx";
import { Loaded, ProblemNote, useAction, useResource, WithCode } from "../../components/resource.tsx";
import { loadMe, post, urlWith } from "../../state/api.ts";
import { t, textFor } from "../../state/preferences.ts";
import { getFilter, setFilters } from "../../state/route.ts";
import { Privacy, type SettingsProps } from "./privacy.tsx";
import { ActionRow, groupOf, SettingRow } from "./settingRow.tsx";

/** Sends one small request to the configured model, to see that it answers. */
function TestProvider() {
  const { result, error, isBusy, run } = useAction(() => post<ProviderTest>("/api/provider-test", {}));
  return (
    <div class="test-provider">
      <Button disabled={isBusy} onClick={run}>
        {isBusy ? t.settings.testing : t.settings.test}
      </Button>
      {!isBusy && <ProblemNote error={error} />}
      {!isBusy && result && (
        <p class={result.ok ? "small" : "small wrong"} role="status">
          {result.message}
          {result.milliseconds !== undefined && ` · ${Math.round(result.milliseconds)} ms`}
          {result.fix && <WithCode text={` ${result.fix}`} />}
        </p>
      )}
    </div>
  );
}

/** The worker reports a table, such as that of models, by its entries; this joins them to one value. */
function currentValue({ settings }: SettingsView, { key, defaultValue }: Setting) {
  const own = settings.find((one) => one.key === key);
  if (own !== undefined) return own;
  const parts = settings.filter((one) => one.key.startsWith(`${key}.`));
  const value = Object.fromEntries(parts.map((part) => [part.key.slice(key.length + 1), part.value]));
  return parts[0] === undefined
    ? { key, value: defaultValue, origin: { source: "default" } as const }
    : { ...parts[0], key, value };
}

function SettingList({ view, onChanged }: SettingsProps) {
  const find = getFilter("find").toLowerCase();
  const shown = view.known.filter(({ key, description }) =>
    `${key} ${description}`.toLowerCase().includes(find),
  );
  return (
    <>
      {find === "" && <Privacy view={view} onChanged={onChanged} />}
      {[...groupBy(shown, ({ key }) => groupOf(key))].map(([name, group]) => (
        <PageSection key={name} title={textFor(t.settings.groups, name)}>
          {group.map((setting) => (
            <SettingRow
              key={setting.key}
              setting={setting}
              now={currentValue(view, setting)}
              onChanged={onChanged}
            />
          ))}
          {name === "llm" && <TestProvider />}
        </PageSection>
      ))}
      {shown.length === 0 && <p class="muted">{t.settings.noneFound}</p>}
      {find === "" && <Transfer />}
    </>
  );
}

export default function Settings() {
  const resource = useResource<SettingsView>("/api/settings", {});
  const head = (
    <>
      {resource.data && <span class="tiny faint mono">{resource.data.file}</span>}
      <div class="actions">
        <input
          type="search"
          class="field"
          aria-label={t.settings.find}
          placeholder={t.settings.find}
          value={getFilter("find")}
          onInput={onValue((find) => setFilters({ find }, "replace"))}
        />
      </div>
    </>
  );
  return (
    <PageFrame title={t.nav.settings} head={head}>
      <Loaded from={resource}>{(view) => <SettingList view={view} onChanged={resource.reload} />}</Loaded>
    </PageFrame>
  );
}

const sumCounts = (counts: Imported["added"]) => Object.values(counts).reduce((all, one) => all + one, 0);

function ImportResult({ added, known, rejectedCount, rejected, complete }: Imported) {
  return (
    <div role="status">
      <p>{t.transfer.imported(sumCounts(added), sumCounts(known))}</p>
      {rejectedCount > 0 && (
        <>
          <p>{t.transfer.rejected(rejectedCount)}</p>
          <Bullets
            of={rejected.slice(0, 5).map(({ line, reason }) => `${line}: ${reason}`)}
            class="bullets small muted"
          />
        </>
      )}
      {!complete && <p>{t.transfer.incomplete}</p>}
    </div>
  );
}

function Transfer() {
  const { transfer } = t;
  const { result, error, isBusy, run } = useAction(async (file: File) => {
    const imported = await post<Imported>("/api/import", file);
    await loadMe();
    return imported;
  });
  return (
    <PageSection title={transfer.title}>
      <ActionRow title={transfer.exportTitle} help={transfer.exportHelp}>
        <a class="button" href={urlWith("/api/export", { project: getFilter("project") })} download>
          {transfer.export}
        </a>
      </ActionRow>
      <ActionRow title={transfer.importTitle} help={transfer.importHelp}>
        <label class="button">
          {transfer.import}
          <input
            type="file"
            class="hidden"
            accept=".jsonl,.ndjson,.json"
            onChange={({ currentTarget }) => {
              for (const file of currentTarget.files ?? []) run(file);
              currentTarget.value = "";
            }}
          />
        </label>
        {isBusy && <p class="note">{t.loading}…</p>}
        {!isBusy && <ProblemNote error={error} />}
        {!isBusy && result && <ImportResult {...result} />}
      </ActionRow>
    </PageSection>
  );
}
