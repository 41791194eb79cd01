// One setting: its field, the source of its value, its help, and the worker's objection to what was typed.
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { Setting, SettingOrigin } from "../../../../src/config/index.ts";
import { Button, onValue } from "../../components/layout.tsx";
import { ProblemNote, useAction, WithCode } from "../../components/resource.tsx";
import { type ApiError, post } from "../../state/api.ts";
import { language, t } from "../../state/preferences.ts";
import { settingHelp } from "../../texts/settings.zh.ts";

interface FieldProps {
  readonly control: Control;
  readonly text: string;
  readonly onText: (text: string) => void;
  /** Called when the field is left or its value chosen. */
  readonly onDone: (text: string) => void;
  readonly id: string;
  readonly disabled: boolean;
  readonly "aria-invalid": boolean;
  readonly "aria-describedby": string;
}

function Field({ control, text, onText, onDone, ...common }: FieldProps) {
  if (control.kind === "switch") {
    return (
      <input
        {...common}
        type="checkbox"
        class="switch"
        checked={text === "true"}
        onChange={({ currentTarget }) => onDone(String(currentTarget.checked))}
      />
    );
  }
  const field = { ...common, class: "field", value: text, onChange: onValue(onDone) };
  if (control.kind === "choice") {
    return (
      <select {...field}>
        {control.choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    );
  }
  const typed = { ...field, onInput: onValue(onText) };
  if (control.kind === "list" || control.kind === "json") return <textarea {...typed} rows={3} />;
  if (control.kind === "number") {
    const { isWhole, least, most } = control;
    return <input {...typed} type="number" step={isWhole ? 1 : "any"} min={least} max={most} />;
  }
  return <input {...typed} type="text" spellcheck={false} />;
}

function originText(origin: SettingOrigin["origin"]) {
  if (origin.source === "default") return t.settings.byDefault;
  if ("name" in origin) return t.settings.byEnvironment(origin.name);
  return t.settings.byFile(origin.file, origin.line);
}

interface SettingProps {
  readonly setting: Setting;
  readonly now: SettingOrigin;
  readonly onChanged: () => void;
}

function useChange({ setting, now, onChanged }: SettingProps) {
  const control = controlFor(setting.allowed);
  const stored = fieldText(now.value, control);
  const [text, setText] = useState(stored);
  const {
    result: isSaved,
    error,
    isBusy,
    run,
  } = useAction(async (value: unknown) => {
    await post("/api/settings", { [setting.key]: value });
    onChanged();
    return true;
  });
  const before = useRef(stored);
  // The field follows a value that changes elsewhere, unless something else was typed into it meanwhile.
  useEffect(() => {
    const last = before.current;
    before.current = stored;
    setText((typed) => (typed === last ? stored : typed));
  }, [stored]);
  const done = (typed: string) => {
    setText(typed);
    // A text that is no value is sent as it is: the worker explains best what is wrong with it.
    if (typed !== stored || error) run(parseField(typed, control) ?? typed);
  };
  const reset = () => {
    setText(stored);
    run(null);
  };
  return { control, text, setText, error, isSaved: isSaved && !isBusy, done, reset };
}

export function SettingRow(props: SettingProps) {
  const { setting, now } = props;
  const id = useId();
  const { control, text, setText, error, isSaved, done, reset } = useChange(props);
  const { source } = now.origin;
  const help = (language.value === "zh" ? settingHelp[setting.key] : undefined) ?? setting.description;
  return (
    <div class="setting">
      <div>
        <label class="key mono" for={id}>
          {setting.key}
        </label>
        <p class="small muted" id={`${id}-help`}>
          <WithCode text={help} />
        </p>
      </div>
      <div>
        <Field
          id={id}
          control={control}
          text={text}
          disabled={source === "env" || source === "flag"}
          aria-invalid={error !== undefined}
          aria-describedby={`${id}-help ${id}-state`}
          onText={setText}
          onDone={done}
        />
        <p class="tiny faint" id={`${id}-state`} role="status">
          {error ? (
            <span class="wrong">
              {error.message} {t.settings.allowed(setting.allowed)}
            </span>
          ) : (
            <>
              {originText(now.origin)}
              {isSaved && ` · ${t.settings.saved}`}
              {source === "user" && (
                <Button class="link" onClick={reset}>
                  {t.settings.reset(fieldText(setting.defaultValue, control))}
                </Button>
              )}
            </>
          )}
        </p>
      </div>
    </div>
  );
}

type Control =
  | { readonly kind: "choice"; readonly choices: readonly string[] }
  | {
      readonly kind: "number";
      readonly isWhole: boolean;
      readonly least?: number | undefined;
      readonly most?: number | undefined;
    }
  | { readonly kind: "switch" | "list" | "text" | "json" };

/** `allowed` is a text such as `en | zh` or `a whole number from 0`. An unknown one is edited as JSON. */
export function controlFor(allowed: string): Control {
  if (allowed === "true or false") return { kind: "switch" };
  if (/^[\w.-]+( \| [\w.-]+)+$/.test(allowed)) return { kind: "choice", choices: allowed.split(" | ") };
  const number = /^a (whole )?number(?: from (-?[\d.]+))?(?: to (-?[\d.]+))?$/.exec(allowed);
  if (number !== null) {
    const [least, most] = number.slice(2).map((bound) => (bound === undefined ? bound : Number(bound)));
    return { kind: "number", isWhole: number[1] !== undefined, least, most };
  }
  if (/^a list of text/.test(allowed)) return { kind: "list" };
  return /^text/.test(allowed) ? { kind: "text" } : { kind: "json" };
}

/** The text that the field shows for a value. */
export function fieldText(value: unknown, { kind }: Control) {
  if (kind === "list" && Array.isArray(value)) return value.join("\n");
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Undefined for a text that cannot be a value at all; the worker decides whether a value is allowed. */
export function parseField(text: string, { kind }: Control): unknown {
  if (kind === "text" || kind === "choice") return text;
  if (kind === "list")
    return text
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "");
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The group of `vault.maxBytes` is `vault`; a key without a dot is general. */
export function groupOf(key: string) {
  return key.includes(".") ? key.slice(0, key.indexOf(".")) : "general";
}

interface RowProps {
  readonly title: string;
  readonly help: string;
  readonly error?: ApiError | undefined;
  readonly children: ComponentChildren;
}

/** A row of the settings page with a title and help on one side and controls on the other. */
export function ActionRow({ title, help, error, children }: RowProps) {
  return (
    <div class="setting">
      <div>
        <h3>{title}</h3>
        <p class="small muted">{help}</p>
        <ProblemNote error={error} />
      </div>
      <div>{children}</div>
    </div>
  );
}
