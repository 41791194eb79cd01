// The filters above a list, and the project picker; their values are in the address.
import { me, projectName, type Query } from "../state/api.ts";
import { t } from "../state/preferences.ts";
import { getFilter, route, setFilters } from "../state/route.ts";
import { dayBounds } from "./format.ts";
import { Button, onValue } from "./layout.tsx";

type FilterName = "kind" | "type" | "file" | "concept" | "from" | "to";

function FilterField({ name }: { readonly name: FilterName }) {
  const label = t.filters[name];
  const value = getFilter(name);
  const field = {
    class: value === "" ? "field" : "field set",
    value,
    // A text filter applies when the field is left or Enter is pressed: half a path would find nothing.
    onChange: onValue((text) => setFilters({ [name]: text.trim() })),
  };
  if (name === "kind" || name === "type") {
    return (
      <select {...field} aria-label={label}>
        <option value="">{name === "kind" ? t.filters.allKinds : t.filters.allTypes}</option>
        {Object.entries(t[`${name}s`]).map(([choice, choiceLabel]) => (
          <option key={choice} value={choice}>
            {choiceLabel}
          </option>
        ))}
      </select>
    );
  }
  if (name === "from" || name === "to") {
    return (
      <label>
        {label}
        <input {...field} type="date" />
      </label>
    );
  }
  return <input {...field} type="text" aria-label={label} placeholder={label} />;
}

/** The filters as the worker takes them: from the beginning of the first day to the end of the last. */
export function filterQuery(): Query {
  const { project, type, file, concept, from, to } = route.value.filters;
  return { project, type, file, concept, from: from && dayBounds(from).from, to: to && dayBounds(to).to };
}

export function Filters({ names }: { readonly names: readonly FilterName[] }) {
  const set = names.filter((name) => getFilter(name) !== "");
  return (
    <search class="filters">
      {names.map((name) => (
        <FilterField key={name} name={name} />
      ))}
      {set.length > 0 && (
        <Button class="link" onClick={() => setFilters(Object.fromEntries(set.map((name) => [name, ""])))}>
          {t.filters.clear}
        </Button>
      )}
    </search>
  );
}

export const ProjectOptions = () =>
  me.value?.projects.map(({ project, name }) => (
    <option key={project} value={project}>
      {name}
    </option>
  ));

export function ProjectPicker() {
  const chosen = getFilter("project");
  const isKnown = chosen === "" || me.value?.projects.some(({ project }) => project === chosen);
  return (
    <select
      class="field project-picker"
      aria-label={t.projects.label}
      value={chosen}
      onChange={onValue((project) => setFilters({ project, item: "" }))}
    >
      <option value="">{t.projects.all}</option>
      {!isKnown && <option value={chosen}>{projectName(chosen)}</option>}
      <ProjectOptions />
    </select>
  );
}
