// One setting: its value, where it comes from, what it does, and what is wrong with what was typed.
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { Setting, SettingOrigin } from "../../../../src/config/index.ts";
import { useAttempt } from "../../parts/attempt.ts";
import { WithCode } from "../../parts/states.tsx";
import { language, t } from "../../state/look.ts";
import { tell } from "../../wire.ts";
import { settingHelp } from "../../words/settings.zh.ts";
import { type Control, controlFor, textOf, valueFrom } from "./control.ts";

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
      <select
        {...common}
        class="field"
        value={text}
        onChange={({ currentTarget }) => onDone(currentTarget.value)}
      >
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
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => onText(currentTarget.value),
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => onDone(currentTarget.value),
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

function originWords(origin: SettingOrigin["origin"]): string {
  const { settings } = t.value;
  if (origin.source === "default") return settings.byDefault;
  if (origin.source === "env" || origin.source === "flag") return settings.byEnvironment(origin.name);
  return settings.byFile(origin.file, origin.line);
}

interface RowProps {
  readonly setting: Setting;
  readonly now: SettingOrigin;
  readonly onChanged: () => void;
}

function useChange({ setting, now, onChanged }: RowProps) {
  const control = controlFor(setting.allowed);
  const kept = textOf(now.value, control);
  const [text, setText] = useState(kept);
  const { error, attempt } = useAttempt();
  const [isSaved, setIsSaved] = useState(false);
  const before = useRef(kept);
  // Whoever else changes it, the field follows, unless something else was typed into it meanwhile.
  useEffect(() => {
    const last = before.current;
    before.current = kept;
    setText((typed) => (typed === last ? kept : typed));
  }, [kept]);
  const send = (value: unknown): Promise<void> => {
    setIsSaved(false);
    return attempt(async () => {
      await tell("/api/settings", { [setting.key]: value });
      setIsSaved(true);
      onChanged();
    });
  };
  const done = (typed: string): void => {
    setText(typed);
    // A text that is no value is sent as it is: the worker says best what is wrong with it.
    if (typed !== kept || error !== undefined) void send(valueFrom(typed, control) ?? typed);
  };
  const reset = (): void => {
    setText(kept);
    void send(null);
  };
  return { control, text, setText, error, isSaved, done, reset };
}

export function SettingRow(props: RowProps) {
  const { setting, now } = props;
  const { settings } = t.value;
  const id = useId();
  const { control, text, setText, error, isSaved, done, reset } = useChange(props);
  const { source } = now.origin;
  const help =
    language.value === "zh" ? (settingHelp[setting.key] ?? setting.description) : setting.description;
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
                <button type="button" class="link" onClick={reset}>
                  {settings.reset(textOf(setting.defaultValue, control))}
                </button>
              )}
            </>
          )}
        </p>
      </div>
    </div>
  );
}
