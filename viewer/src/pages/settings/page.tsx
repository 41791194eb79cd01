// Everything that can be set, where each value comes from, and what concerns privacy, the model and moving house.
import { useState } from "preact/hooks";
import type { Setting } from "../../../../src/config/index.ts";
import type { ProviderTest, SettingsView } from "../../../../src/http/wire.ts";
import { grouped } from "../../parts/grouped.ts";
import { asProblem, useResource } from "../../parts/resource.ts";
import { Bones, ProblemNote, WithCode } from "../../parts/states.tsx";
import { t } from "../../state/look.ts";
import { filter, filtered } from "../../state/place.ts";
import { ask, tell, type WireError } from "../../wire.ts";
import { groupOf } from "./control.ts";
import { Privacy } from "./privacy.tsx";
import { SettingRow } from "./settingRow.tsx";
import { Transfer } from "./transfer.tsx";

/** One small request to the model that is set, to see that it answers. */
function TestProvider() {
  const { settings } = t.value;
  const [outcome, setOutcome] = useState<ProviderTest | WireError | "busy">();
  const test = async (): Promise<void> => {
    setOutcome("busy");
    try {
      setOutcome(await tell<ProviderTest>("/api/provider-test", {}));
    } catch (problem) {
      setOutcome(asProblem(problem));
    }
  };
  return (
    <div class="test-provider">
      <button type="button" class="button" disabled={outcome === "busy"} onClick={() => void test()}>
        {outcome === "busy" ? settings.testing : settings.test}
      </button>
      {outcome instanceof Error && <ProblemNote error={outcome} />}
      {outcome !== undefined && outcome !== "busy" && !(outcome instanceof Error) && (
        <p class={outcome.ok ? "small" : "small wrong"} role="status">
          {outcome.message}
          {outcome.milliseconds !== undefined && ` · ${Math.round(outcome.milliseconds)} ms`}
          {outcome.fix !== undefined && (
            <>
              {" "}
              <WithCode text={outcome.fix} />
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

function Group({ name, known, view, onChanged }: GroupProps) {
  const groups: Readonly<Record<string, string>> = t.value.settings.groups;
  return (
    <section class="block">
      <h2>{groups[name] ?? name}</h2>
      {known.map((setting) => (
        <SettingRow key={setting.key} setting={setting} now={valueNow(view, setting)} onChanged={onChanged} />
      ))}
      {name === "llm" && <TestProvider />}
    </section>
  );
}

function All({ view, onChanged }: { readonly view: SettingsView; readonly onChanged: () => void }) {
  const { settings } = t.value;
  const find = filtered("find").toLowerCase();
  const shown = view.known.filter(({ key, description }) =>
    `${key} ${description}`.toLowerCase().includes(find),
  );
  return (
    <>
      {find === "" && <Privacy view={view} onChanged={onChanged} />}
      {[...grouped(shown, ({ key }) => groupOf(key))].map(([name, known]) => (
        <Group key={name} name={name} known={known} view={view} onChanged={onChanged} />
      ))}
      {shown.length === 0 && <p class="muted">{settings.noneFound}</p>}
      {find === "" && <Transfer />}
    </>
  );
}

export default function Settings() {
  const { nav, settings } = t.value;
  const { data, error, reload } = useResource("settings", (signal) =>
    ask<SettingsView>("/api/settings", undefined, signal),
  );
  return (
    <div class="page">
      <div class="page-head">
        <h1>{nav.settings}</h1>
        {data !== undefined && <span class="tiny faint mono">{data.file}</span>}
        <div class="actions">
          <input
            type="search"
            class="field"
            aria-label={settings.find}
            placeholder={settings.find}
            value={filtered("find")}
            onInput={({ currentTarget }) => filter({ find: currentTarget.value }, "replace")}
          />
        </div>
      </div>
      {error !== undefined && <ProblemNote error={error} retry={reload} />}
      {data === undefined ? error === undefined && <Bones /> : <All view={data} onChanged={reload} />}
    </div>
  );
}
