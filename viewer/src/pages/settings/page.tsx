// The settings page: every setting with the source of its value, privacy, a test of the model, export and import.

import { useState } from "preact/hooks";
import type { Setting } from "../../../../src/config/index.ts";
import type { Imported, ProviderTest, SettingsView } from "../../../../src/http/wire.ts";
import { groupBy } from "../../components/grouped.ts";
import { Bullets, Button, onValue, PageFrame, PageSection } from "../../components/layout.tsx";
import { Loaded, ProblemNote, useAction, useResource, WithCode } from "../../components/resource.tsx";
import { loadMe, me, post, urlWith } from "../../state/api.ts";
import { t, textFor } from "../../state/preferences.ts";
import { getFilter, setFilters } from "../../state/route.ts";
import { ForgetDialog } from "./forget.tsx";
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
  if (own) return own;
  const parts = settings.filter((one) => one.key.startsWith(`${key}.`));
  const value = Object.fromEntries(parts.map((part) => [part.key.slice(key.length + 1), part.value]));
  return parts[0]
    ? { ...parts[0], key, value }
    : { key, value: defaultValue, origin: { source: "default" } as const };
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

function PauseRow() {
  const { privacy } = t;
  const isPaused = me.value?.paused === true;
  const { error, run } = useAction(async () => {
    await post("/api/pause", { paused: !isPaused });
    await loadMe();
  });
  return (
    <ActionRow title={isPaused ? privacy.isPaused : privacy.isOn} help={privacy.pauseHelp} error={error}>
      <Button class={isPaused ? "button main-action" : "button"} onClick={run}>
        {isPaused ? privacy.resume : privacy.pause}
      </Button>
    </ActionRow>
  );
}

interface SettingsProps {
  readonly view: SettingsView;
  readonly onChanged: () => void;
}

/** Excludes a project by adding its folder to the setting `capture.exclude`. */
function ExcludeRow({ view, onChanged }: SettingsProps) {
  const value = view.settings.find(({ key }) => key === "capture.exclude")?.value;
  const excluded = Array.isArray(value) ? value.map(String) : [];
  const projects = me.value?.projects.filter(({ folder }) => folder !== undefined);
  const { error, run } = useAction(async (folder: string, isExcluded: boolean) => {
    const rest = excluded.filter((one) => one !== folder);
    await post("/api/settings", { "capture.exclude": isExcluded ? rest : [...rest, folder] });
    await loadMe();
    onChanged();
  });
  return (
    <ActionRow title={t.privacy.projects} help={t.privacy.projectsHelp} error={error}>
      <ul class="captured">
        {projects?.map(({ project, name, folder = "", isExcluded }) => (
          <li key={project}>
            <label class="check">
              <input
                type="checkbox"
                class="switch"
                checked={!isExcluded}
                // A project that a glob excludes is included again by changing the glob, in its setting.
                disabled={isExcluded && !excluded.includes(folder)}
                onChange={() => run(folder, isExcluded)}
              />
              <span>
                {name} <span class="tiny faint mono">{folder}</span>
              </span>
            </label>
          </li>
        ))}
      </ul>
    </ActionRow>
  );
}

function ForgetRow() {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <ActionRow title={t.privacy.forget} help={t.privacy.forgetHelp}>
      <Button class="button danger" onClick={() => setIsOpen(true)}>
        {t.privacy.forgetOpen}
      </Button>
      {isOpen && <ForgetDialog onClose={() => setIsOpen(false)} />}
    </ActionRow>
  );
}

function SignOutRow() {
  const { error, run } = useAction(() => post("/api/sign-out", {}).then(() => location.reload()));
  return (
    <ActionRow title={t.privacy.browser} help={t.privacy.browserHelp} error={error}>
      <Button onClick={run}>{t.privacy.signOut}</Button>
    </ActionRow>
  );
}

function Privacy(props: SettingsProps) {
  return (
    <section class="block" id="privacy">
      <h2>{t.privacy.title}</h2>
      <PauseRow />
      <ExcludeRow {...props} />
      <ForgetRow />
      <SignOutRow />
    </section>
  );
}
