// What is captured and what is not: pause, leave a project out, and forget with a look before and after.

import { useState } from "preact/hooks";
import type { Pausing, SettingsView } from "../../../../src/http/wire.ts";
import { Button } from "../../components/layout.tsx";
import { useAction } from "../../components/resource.tsx";
import { loadMe, me, postJson } from "../../state/api.ts";
import { t } from "../../state/preferences.ts";
import { ForgetDialog } from "./forget.tsx";
import { ActionRow } from "./settingRow.tsx";

function PauseRow() {
  const { privacy } = t.value;
  const { error, attempt } = useAction();
  const isPaused = me.value?.paused === true;
  const change = () =>
    attempt(async () => {
      await postJson<Pausing>("/api/pause", { paused: !isPaused });
      await loadMe();
    });
  return (
    <ActionRow title={isPaused ? privacy.isPaused : privacy.isOn} help={privacy.pauseHelp} error={error}>
      <div>
        <Button class={isPaused ? "button main-action" : "button"} onClick={change}>
          {isPaused ? privacy.resume : privacy.pause}
        </Button>
      </div>
    </ActionRow>
  );
}

interface ExcludeProps {
  readonly view: SettingsView;
  readonly onChanged: () => void;
}

/** The setting is a list of folders; a project is left out by its folder. */
function ExcludeRow({ view, onChanged }: ExcludeProps) {
  const { privacy } = t.value;
  const { error, attempt } = useAction();
  const value = view.settings.find(({ key }) => key === "capture.exclude")?.value;
  const excluded = Array.isArray(value) ? value.map(String) : [];
  const projects = (me.value?.projects ?? []).filter(({ folder }) => folder !== undefined);
  const change = (folder: string, isExcluded: boolean) =>
    attempt(async () => {
      const rest = excluded.filter((one) => one !== folder);
      await postJson("/api/settings", { "capture.exclude": isExcluded ? rest : [...rest, folder] });
      await loadMe();
      onChanged();
    });
  return (
    <ActionRow title={privacy.projects} help={privacy.projectsHelp} error={error}>
      <ul class="captured">
        {projects.map(({ project, name, folder = "", isExcluded }) => (
          <li key={project}>
            <label class="check">
              <input
                type="checkbox"
                class="switch"
                checked={!isExcluded}
                // One that a glob leaves out is let in by changing the glob, below.
                disabled={isExcluded && !excluded.includes(folder)}
                onChange={() => change(folder, isExcluded)}
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
  const { privacy } = t.value;
  const [isOpen, setIsOpen] = useState(false);
  return (
    <ActionRow title={privacy.forget} help={privacy.forgetHelp}>
      <div>
        <Button class="button danger" onClick={() => setIsOpen(true)}>
          {privacy.forgetOpen}
        </Button>
        {isOpen && <ForgetDialog onClose={() => setIsOpen(false)} />}
      </div>
    </ActionRow>
  );
}

/** For a browser that others use too. */
function SignOutRow() {
  const { privacy } = t.value;
  const { error, attempt } = useAction();
  const leave = () => attempt(() => postJson("/api/sign-out", {}).then(() => location.reload()));
  return (
    <ActionRow title={privacy.browser} help={privacy.browserHelp} error={error}>
      <div>
        <Button onClick={leave}>{privacy.signOut}</Button>
      </div>
    </ActionRow>
  );
}

export function Privacy(props: ExcludeProps) {
  return (
    <section class="block" id="privacy">
      <h2>{t.value.privacy.title}</h2>
      <PauseRow />
      <ExcludeRow {...props} />
      <ForgetRow />
      <SignOutRow />
    </section>
  );
}
