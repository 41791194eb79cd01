// Which project the pages are about; the address remembers it.
import { t } from "../state/look.ts";
import { filter, filtered } from "../state/place.ts";
import { me, projectName } from "../state/worker.ts";

export function ProjectPicker() {
  const { projects: words } = t.value;
  const projects = me.value?.projects ?? [];
  const chosen = filtered("project");
  const isKnown = chosen === "" || projects.some(({ project }) => project === chosen);
  return (
    <select
      class="field project-picker"
      aria-label={words.label}
      value={chosen}
      onChange={({ currentTarget }) => filter({ project: currentTarget.value, item: "" })}
    >
      <option value="">{words.all}</option>
      {!isKnown && <option value={chosen}>{projectName(chosen)}</option>}
      {projects.map(({ project, name }) => (
        <option key={project} value={project}>
          {name}
        </option>
      ))}
    </select>
  );
}
