// What is captured and what is not: pause, leave a project out, and forget with a look before and after.
import { useState } from "preact/hooks";
import type { Pausing, SettingsView } from "../../../../src/worker/http/wire.ts";
import { asProblem } from "../../parts/resource.ts";
import { ProblemNote } from "../../parts/states.tsx";
import { t } from "../../state/look.ts";
import { getAcquainted, me } from "../../state/worker.ts";
import { tell, type WireError } from "../../wire.ts";
import { ForgetDialog } from "./forget.tsx";

function Pause() {
  const { privacy } = t.value;
  const [error, setError] = useState<WireError>();
  const isPaused = me.value?.paused === true;
  const change = async (): Promise<void> => {
    try {
      await tell<Pausing>("/api/pause", { paused: !isPaused });
      await getAcquainted();
      setError(undefined);
    } catch (problem) {
      setError(asProblem(problem));
    }
  };
  return (
    <div class="setting">
      <div>
        <h3>{isPaused ? privacy.isPaused : privacy.isOn}</h3>
        <p class="small muted">{privacy.pauseHelp}</p>
      </div>
      <div>
        <button
          type="button"
          class={isPaused ? "button main-action" : "button"}
          onClick={() => void change()}
        >
          {isPaused ? privacy.resume : privacy.pause}
        </button>
        {error !== undefined && <ProblemNote error={error} />}
      </div>
    </div>
  );
}

interface ExcludeProps {
  readonly view: SettingsView;
  readonly onChanged: () => void;
}

/** The setting is a list of folders; a project is left out by its folder. */
function Exclude({ view, onChanged }: ExcludeProps) {
  const { privacy } = t.value;
  const [error, setError] = useState<WireError>();
  const value = view.settings.find(({ key }) => key === "capture.exclude")?.value;
  const excluded = Array.isArray(value) ? value.map(String) : [];
  const projects = (me.value?.projects ?? []).filter(({ folder }) => folder !== undefined);
  const change = async (folder: string, isExcluded: boolean): Promise<void> => {
    const rest = excluded.filter((one) => one !== folder);
    try {
      await tell("/api/settings", { "capture.exclude": isExcluded ? rest : [...rest, folder] });
      await getAcquainted();
      onChanged();
      setError(undefined);
    } catch (problem) {
      setError(asProblem(problem));
    }
  };
  return (
    <div class="setting">
      <div>
        <h3>{privacy.projects}</h3>
        <p class="small muted">{privacy.projectsHelp}</p>
        {error !== undefined && <ProblemNote error={error} />}
      </div>
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
                onChange={() => void change(folder, isExcluded)}
              />
              <span>
                {name} <span class="tiny faint mono">{folder}</span>
              </span>
            </label>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Forget() {
  const { privacy } = t.value;
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div class="setting">
      <div>
        <h3>{privacy.forget}</h3>
        <p class="small muted">{privacy.forgetHelp}</p>
      </div>
      <div>
        <button type="button" class="button danger" onClick={() => setIsOpen(true)}>
          {privacy.forgetOpen}
        </button>
        {isOpen && <ForgetDialog onClose={() => setIsOpen(false)} />}
      </div>
    </div>
  );
}

/** For a browser that others use too. */
function SignOut() {
  const { privacy } = t.value;
  const [error, setError] = useState<WireError>();
  const leave = async (): Promise<void> => {
    try {
      await tell("/api/sign-out", {});
      location.reload();
    } catch (problem) {
      setError(asProblem(problem));
    }
  };
  return (
    <div class="setting">
      <div>
        <h3>{privacy.browser}</h3>
        <p class="small muted">{privacy.browserHelp}</p>
        {error !== undefined && <ProblemNote error={error} />}
      </div>
      <div>
        <button type="button" class="button" onClick={() => void leave()}>
          {privacy.signOut}
        </button>
      </div>
    </div>
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
