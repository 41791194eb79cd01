// The filters above a list; what is chosen stands in the address.

import type { Query } from "../state/api.ts";
import { me, projectName } from "../state/api.ts";
import { t } from "../state/preferences.ts";
import { filter, filtered } from "../state/route.ts";
import { boundsOf } from "./format.ts";
import { Button } from "./layout.tsx";

type FilterName = "kind" | "type" | "file" | "concept" | "from" | "to";

function FilterField({ name }: { readonly name: FilterName }) {
  const { filters, kinds, types } = t.value;
  const label = filters[name];
  const value = filtered(name);
  const field = {
    class: value === "" ? "field" : "field set",
    value,
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      filter({ [name]: currentTarget.value.trim() }),
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
  const [from, to] = [filtered("from"), filtered("to")];
  return {
    project: filtered("project"),
    type: filtered("type"),
    file: filtered("file"),
    concept: filtered("concept"),
    from: from && boundsOf(from).from,
    to: to && boundsOf(to).to,
  };
}

export function Filters({ names }: { readonly names: readonly FilterName[] }) {
  const set = names.filter((name) => filtered(name) !== "");
  return (
    <search class="filters">
      {names.map((name) => (
        <FilterField key={name} name={name} />
      ))}
      {set.length > 0 && (
        <Button class="link" onClick={() => filter(Object.fromEntries(set.map((name) => [name, ""])))}>
          {t.value.filters.clear}
        </Button>
      )}
    </search>
  );
}

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
