// The dialog that forgets: choose a scope, see what is kept of it, type its name, see that nothing is left.
import { useState } from "preact/hooks";
import type { Forgetting, Kept } from "../../../../src/http/wire.ts";
import { ProjectOptions } from "../../components/filters.tsx";
import { bytes, dayBounds } from "../../components/format.ts";
import { Button, DefinitionList, Dialog, onValue } from "../../components/layout.tsx";
import { ProblemNote, useAction } from "../../components/resource.tsx";
import { loadMe, post, projectName } from "../../state/api.ts";
import { t, textFor } from "../../state/preferences.ts";

const emptyFields = { project: "", session: "", from: "", to: "" };

type ScopeValues = Readonly<typeof emptyFields>;
type ForgetScope = Partial<ScopeValues>;

interface ScopeProps {
  readonly fields: ScopeValues;
  readonly onChange: (fields: ScopeValues) => void;
}

function ScopeFields({ fields, onChange }: ScopeProps) {
  const field = (name: keyof ScopeValues) => ({
    class: "field",
    value: fields[name],
    onInput: onValue((text) => onChange({ ...fields, [name]: text })),
  });
  return (
    <div class="scope">
      <label>
        {t.projects.label}
        <select {...field("project")}>
          <option value="">–</option>
          <ProjectOptions />
        </select>
      </label>
      <label>
        {t.privacy.session}
        <input type="text" spellcheck={false} {...field("session")} />
      </label>
      {(["from", "to"] as const).map((name) => (
        <label key={name}>
          {t.filters[name]}
          <input type="date" {...field(name)} />
        </label>
      ))}
    </div>
  );
}

interface ConfirmProps {
  readonly scope: ForgetScope;
  readonly found: Kept;
  readonly onForget: () => void;
}

function Confirm({ scope, found, onForget }: ConfirmProps) {
  const [typed, setTyped] = useState("");
  const word = confirmationFor(scope, projectName);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (typed === word) onForget();
      }}
    >
      <KeptList {...found} />
      <label class="confirm">
        {t.privacy.type(word)}
        <input
          type="text"
          class="field"
          autocomplete="off"
          spellcheck={false}
          value={typed}
          onInput={onValue(setTyped)}
        />
      </label>
      <button type="submit" class="button danger sure" disabled={typed !== word}>
        {t.privacy.forgetNow}
      </button>
    </form>
  );
}

export function ForgetDialog({ onClose }: { readonly onClose: () => void }) {
  const [fields, setFields] = useState<ScopeValues>(emptyFields);
  const [report, setReport] = useState<Forgetting>();
  const scope = parseScope(fields);
  const { error, run } = useAction(async (carryOut: boolean) => {
    if (!scope) return;
    // Days begin and end in the reader's time zone; the last one is included.
    const { from, to } = scope;
    const times = { from: from && dayBounds(from).from, to: to && dayBounds(to).to };
    setReport(await post<Forgetting>("/api/forget", { ...scope, ...times, carryOut }));
    if (carryOut) await loadMe();
  });
  return (
    <Dialog title={t.privacy.forget} onClose={onClose}>
      <ScopeFields
        fields={fields}
        onChange={(next) => {
          setFields(next);
          setReport(undefined);
        }}
      />
      <ProblemNote error={error} />
      {!report || !scope ? (
        <Button disabled={scope === undefined} onClick={() => run(false)}>
          {t.privacy.preview}
        </Button>
      ) : keptTotal(report.left ?? report.found) === 0 ? (
        <p role="status">{report.left ? t.privacy.gone : t.privacy.nothingKept}</p>
      ) : report.left ? (
        <div role="status">
          <p>{t.privacy.left}</p>
          <KeptList {...report.left} />
        </div>
      ) : (
        <Confirm scope={scope} found={report.found} onForget={() => run(true)} />
      )}
    </Dialog>
  );
}

export function keptTotal({ rows, vault, folders, spooled, archives }: Kept) {
  const counted = Object.values(rows).reduce((sum, count) => sum + count, 0);
  return counted + vault.blobs + folders.length + spooled + archives.length;
}

/** What has to be typed before anything is deleted: the name of the scope, or a fixed word for a span of time. */
export function confirmationFor({ project, session }: ForgetScope, nameOf: (project: string) => string) {
  if (session !== undefined) return session.slice(0, 8);
  return project === undefined ? "forget" : nameOf(project);
}

/** The fields that are not empty; undefined when all are, since an empty scope would mean everything. */
export function parseScope(fields: ScopeValues): ForgetScope | undefined {
  const given = Object.entries(fields)
    .map(([name, value]) => [name, value.trim()])
    .filter(([, value]) => value !== "");
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

function KeptList({ rows, vault, folders, spooled, archives }: Kept) {
  const { privacy, stats } = t;
  const names = { ...stats.counts, jobs: privacy.jobs };
  return (
    <DefinitionList
      class="facts small num"
      of={[
        ...Object.entries(rows).map(
          ([name, count]) => [textFor(names, name), count.toLocaleString()] as const,
        ),
        [privacy.vault, `${vault.blobs.toLocaleString()} (${bytes(vault.bytes)})`],
        [privacy.folders, folders.length.toLocaleString()],
        [privacy.spooled, spooled.toLocaleString()],
        [privacy.archives, archives.length.toLocaleString()],
      ]}
    />
  );
}
