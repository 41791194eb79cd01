// Forgetting: say what, look at what is kept of it, type its name, and see that nothing is left.
import { useState } from "preact/hooks";
import type { Forgetting, Kept } from "../../../../src/http/wire.ts";
import { bytes, dayBounds } from "../../components/format.ts";
import { Button, DefinitionList, Dialog, onValue } from "../../components/layout.tsx";
import { ProblemNote, useAction } from "../../components/resource.tsx";
import { loadMe, me, postJson, projectName } from "../../state/api.ts";
import { t, textFor } from "../../state/preferences.ts";

const emptyFields = { project: "", session: "", from: "", to: "" };

type ScopeValues = Readonly<Record<keyof ForgetScope, string>>;

function ScopeFields({ fields, onChange }: { fields: ScopeValues; onChange: (fields: ScopeValues) => void }) {
  const { privacy, filters, projects } = t.value;
  const field = (name: keyof ForgetScope) => ({
    class: "field",
    value: fields[name],
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) =>
      onChange({ ...fields, [name]: currentTarget.value }),
  });
  return (
    <div class="scope">
      <label>
        {projects.label}
        <select {...field("project")}>
          <option value="">–</option>
          {me.value?.projects.map(({ project, name }) => (
            <option key={project} value={project}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        {privacy.session}
        <input type="text" spellcheck={false} {...field("session")} />
      </label>
      <label>
        {filters.from}
        <input type="date" {...field("from")} />
      </label>
      <label>
        {filters.to}
        <input type="date" {...field("to")} />
      </label>
    </div>
  );
}

/** Days as the reader has them, with the last one in. */
function asRequest({ from, to, ...rest }: ForgetScope) {
  return { ...rest, from: from && dayBounds(from).from, to: to && dayBounds(to).to };
}

interface ConfirmProps {
  readonly scope: ForgetScope;
  readonly found: Forgetting;
  readonly onForget: () => void;
}

function Confirm({ scope, found, onForget }: ConfirmProps) {
  const { privacy } = t.value;
  const [typed, setTyped] = useState("");
  const word = confirmationFor(scope, projectName);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (typed === word) onForget();
      }}
    >
      <KeptList kept={found.found} />
      <label class="confirm">
        {privacy.type(word)}
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
        {privacy.forgetNow}
      </button>
    </form>
  );
}

function ForgetOutcome({ report }: { readonly report: Forgetting }) {
  const { privacy } = t.value;
  const left = report.left;
  return left === undefined || keptTotal(left) === 0 ? (
    <p role="status">{privacy.gone}</p>
  ) : (
    <div role="status">
      <p>{privacy.left}</p>
      <KeptList kept={left} />
    </div>
  );
}

export function ForgetDialog({ onClose }: { readonly onClose: () => void }) {
  const { privacy } = t.value;
  const [fields, setFields] = useState<ScopeValues>(emptyFields);
  const [report, setReport] = useState<Forgetting>();
  const { error, attempt } = useAction();
  const scope = parseScope(fields);
  const send = (carryOut: boolean) =>
    attempt(async () => {
      if (scope === undefined) return;
      setReport(await postJson<Forgetting>("/api/forget", { ...asRequest(scope), carryOut }));
      if (carryOut) await loadMe();
    });
  return (
    <Dialog title={privacy.forget} onClose={onClose}>
      <ScopeFields
        fields={fields}
        onChange={(next) => {
          setFields(next);
          setReport(undefined);
        }}
      />
      <ProblemNote error={error} />
      {report === undefined ? (
        <Button disabled={scope === undefined} onClick={() => send(false)}>
          {privacy.preview}
        </Button>
      ) : report.left !== undefined ? (
        <ForgetOutcome report={report} />
      ) : keptTotal(report.found) === 0 ? (
        <p role="status">{privacy.nothingKept}</p>
      ) : (
        scope !== undefined && <Confirm scope={scope} found={report} onForget={() => send(true)} />
      )}
    </Dialog>
  );
}

export interface ForgetScope {
  readonly project?: string;
  readonly session?: string;
  readonly from?: string;
  readonly to?: string;
}

export function keptTotal({ rows, vault, folders, spooled, archives }: Kept): number {
  const counted = Object.values(rows).reduce((sum, count) => sum + count, 0);
  return counted + vault.blobs + folders.length + spooled + archives.length;
}

/** What has to be typed before anything is deleted: what it is called, or a word when it is only a time. */
export function confirmationFor(
  { project, session }: ForgetScope,
  nameOf: (project: string) => string,
): string {
  if (session !== undefined) return session.slice(0, 8);
  return project === undefined ? "forget" : nameOf(project);
}

/** Fields that are not empty; undefined when there is none: nothing is never everything. */
export function parseScope(fields: Readonly<Record<keyof ForgetScope, string>>): ForgetScope | undefined {
  const given = Object.entries(fields).filter(([, value]) => value.trim() !== "");
  return given.length === 0
    ? undefined
    : Object.fromEntries(given.map(([name, value]) => [name, value.trim()]));
}

function KeptList({ kept }: { readonly kept: Kept }) {
  const { privacy, stats } = t.value;
  const names = { ...stats.counts, jobs: privacy.jobs };
  return (
    <DefinitionList
      class="facts small num"
      of={[
        ...Object.entries(kept.rows).map(
          ([name, count]) => [textFor(names, name), count.toLocaleString()] as const,
        ),
        [privacy.vault, `${kept.vault.blobs.toLocaleString()} (${bytes(kept.vault.bytes)})`],
        [privacy.folders, kept.folders.length.toLocaleString()],
        [privacy.spooled, kept.spooled.toLocaleString()],
        [privacy.archives, kept.archives.length.toLocaleString()],
      ]}
    />
  );
}
