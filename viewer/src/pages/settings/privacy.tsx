// What is captured and what is not: pause, leave a project out, and forget with a look before and after.

import { useState } from "preact/hooks";
import type { Pausing, SettingsView } from "../../../../src/http/wire.ts";
import { Button } from "../../components/layout.tsx";
import { useAttempt } from "../../components/resource.tsx";
import { getAcquainted, me, tell } from "../../state/api.ts";
import { t } from "../../state/preferences.ts";
import { ForgetDialog } from "./forget.tsx";
import { Row } from "./settingRow.tsx";

function Pause() {
  const { privacy } = t.value;
  const { error, attempt } = useAttempt();
  const isPaused = me.value?.paused === true;
  const change = () =>
    attempt(async () => {
      await tell<Pausing>("/api/pause", { paused: !isPaused });
      await getAcquainted();
    });
  return (
    <Row title={isPaused ? privacy.isPaused : privacy.isOn} help={privacy.pauseHelp} error={error}>
      <div>
        <Button class={isPaused ? "button main-action" : "button"} onClick={change}>
          {isPaused ? privacy.resume : privacy.pause}
        </Button>
      </div>
    </Row>
  );
}

interface ExcludeProps {
  readonly view: SettingsView;
  readonly onChanged: () => void;
}

/** The setting is a list of folders; a project is left out by its folder. */
function Exclude({ view, onChanged }: ExcludeProps) {
  const { privacy } = t.value;
  const { error, attempt } = useAttempt();
  const value = view.settings.find(({ key }) => key === "capture.exclude")?.value;
  const excluded = Array.isArray(value) ? value.map(String) : [];
  const projects = (me.value?.projects ?? []).filter(({ folder }) => folder !== undefined);
  const change = (folder: string, isExcluded: boolean) =>
    attempt(async () => {
      const rest = excluded.filter((one) => one !== folder);
      await tell("/api/settings", { "capture.exclude": isExcluded ? rest : [...rest, folder] });
      await getAcquainted();
      onChanged();
    });
  return (
    <Row title={privacy.projects} help={privacy.projectsHelp} error={error}>
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
    </Row>
  );
}

function Forget() {
  const { privacy } = t.value;
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Row title={privacy.forget} help={privacy.forgetHelp}>
      <div>
        <Button class="button danger" onClick={() => setIsOpen(true)}>
          {privacy.forgetOpen}
        </Button>
        {isOpen && <ForgetDialog onClose={() => setIsOpen(false)} />}
      </div>
    </Row>
  );
}

/** For a browser that others use too. */
function SignOut() {
  const { privacy } = t.value;
  const { error, attempt } = useAttempt();
  const leave = () => attempt(() => tell("/api/sign-out", {}).then(() => location.reload()));
  return (
    <Row title={privacy.browser} help={privacy.browserHelp} error={error}>
      <div>
        <Button onClick={leave}>{privacy.signOut}</Button>
      </div>
    </Row>
  );
}

export function Privacy(props: ExcludeProps) {
  return (
    <section class="block" id="privacy">
      <h2>{t.value.privacy.title}</h2>
      <Pause />
      <Exclude {...props} />
      <Forget />
      <SignOut />
    </section>
  );
}
