// Privacy settings: pause capture, exclude a project, forget, sign out.
import { useState } from "preact/hooks";
import type { SettingsView } from "../../../../src/http/wire.ts";
import { Button } from "../../components/layout.tsx";
import { useAction } from "../../components/resource.tsx";
import { loadMe, me, post } from "../../state/api.ts";
import { t } from "../../state/preferences.ts";
import { ForgetDialog } from "./forget.tsx";
import { ActionRow } from "./settingRow.tsx";

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

export interface SettingsProps {
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

export function Privacy(props: SettingsProps) {
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
