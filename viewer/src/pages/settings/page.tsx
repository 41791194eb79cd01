// All settings with the source of each value, privacy, a test of the model, export and import.

import type { Setting } from "../../../../src/config/index.ts";
import type { Imported, ProviderTest, SettingsView } from "../../../../src/http/wire.ts";
import { groupBy } from "../../components/grouped.ts";
import { Bullets, Button, PageSection } from "../../components/layout.tsx";
import { Loaded, ProblemNote, useAction, useResource, WithCode } from "../../components/resource.tsx";
import { loadMe, postJson, postLines, urlWith } from "../../state/api.ts";
import { t, textFor } from "../../state/preferences.ts";
import { getFilter, setFilters } from "../../state/route.ts";
import { Privacy } from "./privacy.tsx";
import { ActionRow, groupOf, SettingRow } from "./settingRow.tsx";

/** One small request to the model that is set, to see that it answers. */
function TestProvider() {
  const { settings } = t.value;
  const { result, error, isBusy, attempt } = useAction<ProviderTest>();
  return (
    <div class="test-provider">
      <Button disabled={isBusy} onClick={() => attempt(() => postJson("/api/provider-test", {}))}>
        {isBusy ? settings.testing : settings.test}
      </Button>
      {!isBusy && <ProblemNote error={error} />}
      {!isBusy && result !== undefined && (
        <p class={result.ok ? "small" : "small wrong"} role="status">
          {result.message}
          {result.milliseconds !== undefined && ` · ${Math.round(result.milliseconds)} ms`}
          {result.fix !== undefined && (
            <>
              {" "}
              <WithCode text={result.fix} />
            </>
          )}
        </p>
      )}
    </div>
  );
}

interface GroupProps {
  readonly name: string;
  readonly known: readonly Setting[];
  readonly view: SettingsView;
  readonly onChanged: () => void;
}

/** A table such as that of models is told by its parts; put together again it is one value. */
function valueNow(view: SettingsView, { key, defaultValue }: Setting) {
  const own = view.settings.find((one) => one.key === key);
  if (own !== undefined) return own;
  const parts = view.settings.filter((one) => one.key.startsWith(`${key}.`));
  const value: Record<string, unknown> = {};
  for (const part of parts) value[part.key.slice(key.length + 1)] = part.value;
  const [first] = parts;
  return first === undefined
    ? { key, value: defaultValue, origin: { source: "default" } as const }
    : { ...first, key, value };
}

function SettingGroup({ name, known, view, onChanged }: GroupProps) {
  return (
    <PageSection title={textFor(t.value.settings.groups, name)}>
      {known.map((setting) => (
        <SettingRow key={setting.key} setting={setting} now={valueNow(view, setting)} onChanged={onChanged} />
      ))}
      {name === "llm" && <TestProvider />}
    </PageSection>
  );
}

function SettingList({ view, onChanged }: { readonly view: SettingsView; readonly onChanged: () => void }) {
  const { settings } = t.value;
  const find = getFilter("find").toLowerCase();
  const shown = view.known.filter(({ key, description }) =>
    `${key} ${description}`.toLowerCase().includes(find),
  );
  return (
    <>
      {find === "" && <Privacy view={view} onChanged={onChanged} />}
      {[...groupBy(shown, ({ key }) => groupOf(key))].map(([name, known]) => (
        <SettingGroup key={name} name={name} known={known} view={view} onChanged={onChanged} />
      ))}
      {shown.length === 0 && <p class="muted">{settings.noneFound}</p>}
      {find === "" && <Transfer />}
    </>
  );
}

export default function Settings() {
  const { nav, settings } = t.value;
  const resource = useResource<SettingsView>("/api/settings", {});
  return (
    <div class="page">
      <div class="page-head">
        <h1>{nav.settings}</h1>
        {resource.data !== undefined && <span class="tiny faint mono">{resource.data.file}</span>}
        <div class="actions">
          <input
            type="search"
            class="field"
            aria-label={settings.find}
            placeholder={settings.find}
            value={getFilter("find")}
            onInput={({ currentTarget }) => setFilters({ find: currentTarget.value }, "replace")}
          />
        </div>
      </div>
      <Loaded from={resource}>{(view) => <SettingList view={view} onChanged={resource.reload} />}</Loaded>
    </div>
  );
}

function ImportResult({ report }: { readonly report: Imported }) {
  const { transfer } = t.value;
  const sum = (counts: Imported["added"]) => Object.values(counts).reduce((all, one) => all + one, 0);
  return (
    <div role="status">
      <p>{transfer.imported(sum(report.added), sum(report.known))}</p>
      {report.rejectedCount > 0 && (
        <>
          <p>{transfer.rejected(report.rejectedCount)}</p>
          <Bullets
            of={report.rejected.slice(0, 5).map(({ line, reason }) => `${line}: ${reason}`)}
            class="bullets small muted"
          />
        </>
      )}
      {!report.complete && <p>{transfer.incomplete}</p>}
    </div>
  );
}

function Transfer() {
  const { transfer } = t.value;
  const { result, error, isBusy, attempt } = useAction<Imported>();
  const take = (file: File) =>
    attempt(async () => {
      const imported = await postLines<Imported>("/api/import", file);
      await loadMe();
      return imported;
    });
  return (
    <PageSection title={transfer.title}>
      <ActionRow title={transfer.exportTitle} help={transfer.exportHelp}>
        <div>
          <a class="button" href={urlWith("/api/export", { project: getFilter("project") })} download>
            {transfer.export}
          </a>
        </div>
      </ActionRow>
      <ActionRow title={transfer.importTitle} help={transfer.importHelp}>
        <div>
          <label class="button">
            {transfer.import}
            <input
              type="file"
              class="hidden"
              accept=".jsonl,.ndjson,.json"
              onChange={({ currentTarget }) => {
                for (const file of currentTarget.files ?? []) take(file);
                currentTarget.value = "";
              }}
            />
          </label>
          {isBusy && <p class="note">{t.value.loading}…</p>}
          {!isBusy && <ProblemNote error={error} />}
          {!isBusy && result !== undefined && <ImportResult report={result} />}
        </div>
      </ActionRow>
    </PageSection>
  );
}
