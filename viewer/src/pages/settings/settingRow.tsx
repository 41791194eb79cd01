// One setting: its value, where it comes from, what it does, and what is wrong with what was typed.
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { Setting, SettingOrigin } from "../../../../src/config/index.ts";
import { Button, onValue } from "../../components/layout.tsx";
import { ProblemNote, useAction, WithCode } from "../../components/resource.tsx";
import { type ApiError, postJson } from "../../state/api.ts";
import { language, t } from "../../state/preferences.ts";
import { settingHelp } from "../../texts/settings.zh.ts";

interface FieldProps {
  readonly id: string;
  readonly control: Control;
  readonly text: string;
  readonly isLocked: boolean;
  readonly isWrong: boolean;
  readonly describedBy: string;
  readonly onText: (text: string) => void;
  /** The reader is done with it. */
  readonly onDone: (text: string) => void;
}

function Field({ id, control, text, isLocked, isWrong, describedBy, onText, onDone }: FieldProps) {
  const common = {
    id,
    disabled: isLocked,
    "aria-invalid": isWrong,
    "aria-describedby": describedBy,
  };
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
  if (control.kind === "choice") {
    return (
      <select {...common} class="field" value={text} onChange={onValue(onDone)}>
        {control.choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    );
  }
  const typing = {
    ...common,
    class: "field",
    value: text,
    onInput: onValue(onText),
    onChange: onValue(onDone),
  };
  if (control.kind === "list" || control.kind === "json") return <textarea {...typing} rows={3} />;
  if (control.kind === "number") {
    return (
      <input
        {...typing}
        type="number"
        step={control.isWhole ? 1 : "any"}
        min={control.least}
        max={control.most}
      />
    );
  }
  return <input {...typing} type="text" spellcheck={false} />;
}

function originWords(origin: SettingOrigin["origin"]) {
  const { settings } = t.value;
  if (origin.source === "default") return settings.byDefault;
  if (origin.source === "env" || origin.source === "flag") return settings.byEnvironment(origin.name);
  return settings.byFile(origin.file, origin.line);
}

interface SettingProps {
  readonly setting: Setting;
  readonly now: SettingOrigin;
  readonly onChanged: () => void;
}

function useChange({ setting, now, onChanged }: SettingProps) {
  const control = controlFor(setting.allowed);
  const kept = fieldText(now.value, control);
  const [text, setText] = useState(kept);
  const { error, attempt } = useAction();
  const [isSaved, setIsSaved] = useState(false);
  const before = useRef(kept);
  // When the value changes elsewhere the field follows, unless something else was typed into it meanwhile.
  useEffect(() => {
    const last = before.current;
    before.current = kept;
    setText((typed) => (typed === last ? kept : typed));
  }, [kept]);
  const send = (value: unknown) => {
    setIsSaved(false);
    attempt(async () => {
      await postJson("/api/settings", { [setting.key]: value });
      setIsSaved(true);
      onChanged();
    });
  };
  const done = (typed: string) => {
    setText(typed);
    // A text that is no value is sent as it is: the worker says best what is wrong with it.
    if (typed !== kept || error !== undefined) send(parseField(typed, control) ?? typed);
  };
  const reset = () => {
    setText(kept);
    send(null);
  };
  return { control, text, setText, error, isSaved, done, reset };
}

export function SettingRow(props: SettingProps) {
  const { setting, now } = props;
  const { settings } = t.value;
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
          isLocked={source === "env" || source === "flag"}
          isWrong={error !== undefined}
          describedBy={`${id}-help ${id}-state`}
          onText={setText}
          onDone={done}
        />
        <p class="tiny faint" id={`${id}-state`} role="status">
          {error !== undefined ? (
            <span class="wrong">
              {error.message} {settings.allowed(setting.allowed)}
            </span>
          ) : (
            <>
              {originWords(now.origin)}
              {isSaved && ` · ${settings.saved}`}
              {source === "user" && (
                <Button class="link" onClick={reset}>
                  {settings.reset(fieldText(setting.defaultValue, control))}
                </Button>
              )}
            </>
          )}
        </p>
      </div>
    </div>
  );
}

export type Control =
  | { readonly kind: "choice"; readonly choices: readonly string[] }
  | { readonly kind: "switch" }
  | { readonly kind: "number"; readonly isWhole: boolean; readonly least?: number; readonly most?: number }
  | { readonly kind: "list" }
  | { readonly kind: "text" }
  | { readonly kind: "json" };

/** `allowed` is in words, such as `en | zh` or `a whole number from 0`. What is not known is edited as JSON. */
export function controlFor(allowed: string): Control {
  if (allowed === "true or false") return { kind: "switch" };
  if (/^[\w.-]+( \| [\w.-]+)+$/.test(allowed)) return { kind: "choice", choices: allowed.split(" | ") };
  const number = /^a (whole )?number(?: from (-?[\d.]+))?(?: to (-?[\d.]+))?$/.exec(allowed);
  if (number !== null) {
    const [, whole, least, most] = number;
    return {
      kind: "number",
      isWhole: whole !== undefined,
      ...(least === undefined ? {} : { least: Number(least) }),
      ...(most === undefined ? {} : { most: Number(most) }),
    };
  }
  if (/^a list of text/.test(allowed)) return { kind: "list" };
  return /^text/.test(allowed) ? { kind: "text" } : { kind: "json" };
}

/** As it stands in its field. */
export function fieldText(value: unknown, { kind }: Control): string {
  if (kind === "list" && Array.isArray(value)) return value.join("\n");
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Undefined for what cannot be a value at all; whether it is allowed, the worker says. */
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

/** `vault.maxBytes` belongs to `vault`; what has no group is general. */
export function groupOf(key: string): string {
  return key.includes(".") ? key.slice(0, key.indexOf(".")) : "general";
}

interface RowProps {
  readonly title: string;
  readonly help: string;
  readonly error?: ApiError | undefined;
  readonly children: ComponentChildren;
}

/** A row of the settings page: what it is about on one side, what can be done on the other. */
export function ActionRow({ title, help, error, children }: RowProps) {
  return (
    <div class="setting">
      <div>
        <h3>{title}</h3>
        <p class="small muted">{help}</p>
        <ProblemNote error={error} />
      </div>
      {children}
    </div>
  );
}
