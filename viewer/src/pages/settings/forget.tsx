// Forgetting: say what, look at what is kept of it, type its name, and see that nothing is left.
import { useState } from "preact/hooks";
import type { Forgetting } from "../../../../src/http/wire.ts";
import { useAttempt } from "../../parts/attempt.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { boundsOf } from "../../parts/format.ts";
import { ProblemNote } from "../../parts/states.tsx";
import { t } from "../../state/look.ts";
import { reader } from "../../state/reader.ts";
import { getAcquainted, me, projectName } from "../../state/worker.ts";
import { tell } from "../../wire.ts";
import { confirmationFor, type ForgetScope, scopeOf, totalOf } from "./kept.ts";
import { KeptList } from "./keptList.tsx";

const none = { project: "", session: "", from: "", to: "" };

type Fields = Readonly<Record<keyof ForgetScope, string>>;

function ScopeFields({ fields, onChange }: { fields: Fields; onChange: (fields: Fields) => void }) {
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
function asRequest({ from, to, ...rest }: ForgetScope): ForgetScope {
  const { offset } = reader.value;
  return {
    ...rest,
    ...(from === undefined ? {} : { from: boundsOf(from, offset).from }),
    ...(to === undefined ? {} : { to: boundsOf(to, offset).to }),
  };
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
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      </label>
      <button type="submit" class="button danger sure" disabled={typed !== word}>
        {privacy.forgetNow}
      </button>
    </form>
  );
}

function Outcome({ report }: { readonly report: Forgetting }) {
  const { privacy } = t.value;
  const left = report.left;
  return left === undefined || totalOf(left) === 0 ? (
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
  const [fields, setFields] = useState<Fields>(none);
  const [report, setReport] = useState<Forgetting>();
  const { error, attempt } = useAttempt();
  const scope = scopeOf(fields);
  const send = (carryOut: boolean) =>
    attempt(async () => {
      if (scope === undefined) return;
      setReport(await tell<Forgetting>("/api/forget", { ...asRequest(scope), carryOut }));
      if (carryOut) await getAcquainted();
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
      {error !== undefined && <ProblemNote error={error} />}
      {report === undefined ? (
        <button type="button" class="button" disabled={scope === undefined} onClick={() => void send(false)}>
          {privacy.preview}
        </button>
      ) : report.left !== undefined ? (
        <Outcome report={report} />
      ) : totalOf(report.found) === 0 ? (
        <p role="status">{privacy.nothingKept}</p>
      ) : (
        scope !== undefined && <Confirm scope={scope} found={report} onForget={() => void send(true)} />
      )}
    </Dialog>
  );
}
