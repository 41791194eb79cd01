// The filters above a list; what is chosen stands in the address.
import { observationTypes } from "../state/kinds.ts";
import { t } from "../state/look.ts";
import { filter, filtered } from "../state/place.ts";

type FilterName = "kind" | "type" | "file" | "concept" | "from" | "to";

interface ChoiceProps {
  readonly name: FilterName;
  readonly all: string;
  readonly choices: readonly (readonly [value: string, label: string])[];
}

function Choice({ name, all, choices }: ChoiceProps) {
  const value = filtered(name);
  return (
    <select
      class={value === "" ? "field" : "field set"}
      aria-label={t.value.filters[name]}
      value={value}
      onChange={({ currentTarget }) => filter({ [name]: currentTarget.value })}
    >
      <option value="">{all}</option>
      {choices.map(([choice, label]) => (
        <option key={choice} value={choice}>
          {label}
        </option>
      ))}
    </select>
  );
}

/** Taken when the field is left or Enter is pressed: half a path finds nothing. */
function Text({ name }: { readonly name: "file" | "concept" }) {
  const value = filtered(name);
  return (
    <input
      type="text"
      class={value === "" ? "field" : "field set"}
      aria-label={t.value.filters[name]}
      placeholder={t.value.filters[name]}
      value={value}
      onChange={({ currentTarget }) => filter({ [name]: currentTarget.value.trim() })}
    />
  );
}

function Day({ name }: { readonly name: "from" | "to" }) {
  const value = filtered(name);
  return (
    <label>
      {t.value.filters[name]}
      <input
        type="date"
        class={value === "" ? "field" : "field set"}
        value={value}
        onChange={({ currentTarget }) => filter({ [name]: currentTarget.value })}
      />
    </label>
  );
}

export function Filters({ names }: { readonly names: readonly FilterName[] }) {
  const { filters, kinds, types } = t.value;
  const set = names.filter((name) => filtered(name) !== "");
  return (
    <search class="filters">
      {names.map((name) => {
        if (name === "kind")
          return <Choice key={name} name={name} all={filters.allKinds} choices={Object.entries(kinds)} />;
        if (name === "type") {
          const choices = observationTypes.map((type) => [type, types[type]] as const);
          return <Choice key={name} name={name} all={filters.allTypes} choices={choices} />;
        }
        if (name === "from" || name === "to") return <Day key={name} name={name} />;
        return <Text key={name} name={name} />;
      })}
      {set.length > 0 && (
        <button
          type="button"
          class="link"
          onClick={() => filter(Object.fromEntries(set.map((name) => [name, ""])))}
        >
          {filters.clear}
        </button>
      )}
    </search>
  );
}
