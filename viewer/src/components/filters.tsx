// The filters above a list; what is chosen stands in the address.

import type { Query } from "../state/api.ts";
import { me, projectName } from "../state/api.ts";
import { t } from "../state/preferences.ts";
import { getFilter, setFilters } from "../state/route.ts";
import { dayBounds } from "./format.ts";
import { Button } from "./layout.tsx";

type FilterName = "kind" | "type" | "file" | "concept" | "from" | "to";

function FilterField({ name }: { readonly name: FilterName }) {
  const { filters, kinds, types } = t.value;
  const label = filters[name];
  const value = getFilter(name);
  const field = {
    class: value === "" ? "field" : "field set",
    value,
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      setFilters({ [name]: currentTarget.value.trim() }),
  };
  if (name === "kind" || name === "type") {
    return (
      <select {...field} aria-label={label}>
        <option value="">{name === "kind" ? filters.allKinds : filters.allTypes}</option>
        {Object.entries(name === "kind" ? kinds : types).map(([choice, choiceLabel]) => (
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
  // Taken when the field is left or Enter is pressed: half a path finds nothing.
  return <input {...field} type="text" aria-label={label} placeholder={label} />;
}

/** What the filters ask of the worker; days as the times at which the first begins and the last ends. */
export function filterQuery(): Query {
  const [from, to] = [getFilter("from"), getFilter("to")];
  return {
    project: getFilter("project"),
    type: getFilter("type"),
    file: getFilter("file"),
    concept: getFilter("concept"),
    from: from && dayBounds(from).from,
    to: to && dayBounds(to).to,
  };
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
          {t.value.filters.clear}
        </Button>
      )}
    </search>
  );
}

export function ProjectPicker() {
  const { projects: words } = t.value;
  const projects = me.value?.projects ?? [];
  const chosen = getFilter("project");
  const isKnown = chosen === "" || projects.some(({ project }) => project === chosen);
  return (
    <select
      class="field project-picker"
      aria-label={words.label}
      value={chosen}
      onChange={({ currentTarget }) => setFilters({ project: currentTarget.value, item: "" })}
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
