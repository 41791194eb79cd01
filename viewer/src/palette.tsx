// The palette: one field for pages, projects, commands and everything that search finds, used with keys alone.
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { Hit, SearchAnswer } from "../../src/http/wire.ts";
import { Icon, type IconName, iconOf } from "./components/icon.tsx";
import { Dialog, onValue } from "./components/layout.tsx";
import { useResource } from "./components/resource.tsx";
import { me, projectName } from "./state/api.ts";
import { isPaletteOpen } from "./state/keyboard.ts";
import { kindName, setLanguage, setTheme, t, theme, themes } from "./state/preferences.ts";
import { addressOf, navigate, pageNames, readAddress, routeOn, setFilters } from "./state/route.ts";

interface Choice {
  readonly key: string;
  readonly icon: IconName;
  readonly name: string;
  readonly about: string;
  readonly run: () => void;
}

const MOST_HITS = 6;
const MOST_PROJECTS = 5;
const DEBOUNCE_MS = 130;

/** All words of the query, in any order. */
const isNamed = (name: string, words: string) =>
  words.split(/\s+/).every((word) => name.toLowerCase().includes(word.toLowerCase()));

function commands(): Choice[] {
  const { palette, nav, look } = t;
  const nextTheme = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? "auto";
  return [
    ...pageNames.map((page) => ({
      key: page,
      icon: page,
      name: nav[page],
      about: palette.page,
      run: () => navigate(routeOn(page)),
    })),
    {
      ...{
        key: "theme",
        icon: theme.value,
        name: look.theme(look.themes[nextTheme]),
        about: palette.command,
      },
      run: () => setTheme(nextTheme),
    },
    ...(["en", "zh"] as const).map((one) => ({
      ...{
        key: one,
        icon: "settings" as const,
        name: one === "en" ? "English" : "中文",
        about: palette.command,
      },
      run: () => setLanguage(one),
    })),
  ];
}

function projects(query: string): Choice[] {
  return (me.value?.projects ?? [])
    .filter(({ name }) => isNamed(name, query))
    .slice(0, MOST_PROJECTS)
    .map(({ project, name }) => ({
      ...{ key: `project ${project}`, icon: "file" as const, name, about: t.projects.label },
      run: () => setFilters({ project, item: "" }),
    }));
}

function found({ ref, kind, type, title, project, session }: Hit): Choice {
  const file = ref.slice(ref.lastIndexOf("/") + 1);
  const to =
    kind === "memory"
      ? addressOf({ page: "memory", filters: { project, file } })
      : addressOf({ page: "session", id: session, filters: { item: ref } });
  return {
    ...{ key: ref, icon: iconOf(kind, type), name: title },
    about: `${kindName(kind, type)} · ${projectName(project)}`,
    run: () => navigate(readAddress(to)),
  };
}

function useChoices(text: string) {
  const [query, setQuery] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setQuery(text.trim()), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const { data } = useResource<SearchAnswer>(
    "/api/search",
    query === "" ? undefined : { query, typed: 1, limit: MOST_HITS },
  );
  const words = text.trim();
  const hits = words === "" ? [] : (data?.hits ?? []).map(found);
  return [
    ...commands().filter(({ name }) => isNamed(name, words)),
    ...(words === "" ? [] : projects(words)),
    ...hits,
  ];
}

interface ListProps {
  readonly list: string;
  readonly choices: readonly Choice[];
  readonly current: number;
  readonly choose: (choice: Choice) => void;
}

function ChoiceList({ list, choices, current, choose }: ListProps) {
  return (
    <div id={list} role="listbox" aria-label={t.palette.title} class="choices">
      {choices.map((choice, index) => (
        <button
          key={choice.key}
          id={`${list}-${index}`}
          type="button"
          role="option"
          tabIndex={-1}
          aria-selected={index === current}
          class="choice"
          ref={(element) => {
            if (index === current) element?.scrollIntoView({ block: "nearest" });
          }}
          onClick={() => choose(choice)}
        >
          <Icon name={choice.icon} />
          <span class="clip">{choice.name}</span>
          <span class="tiny faint clip">{choice.about}</span>
        </button>
      ))}
      {choices.length === 0 && <p class="muted small">{t.search.nothing}</p>}
    </div>
  );
}

export function Palette() {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const list = useId();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const choices = useChoices(text);
  const current = Math.min(at, choices.length - 1);
  const close = () => {
    isPaletteOpen.value = false;
  };
  const choose = (choice: Choice | undefined) => {
    if (!choice) return;
    close();
    choice.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt((current + step + choices.length) % Math.max(1, choices.length));
    } else if (event.key === "Enter") choose(choices[current]);
  };
  return (
    <Dialog title={t.palette.title} onClose={close}>
      <input
        ref={field}
        type="text"
        class="field palette-field"
        role="combobox"
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={choices.length > 0 ? `${list}-${current}` : undefined}
        aria-label={t.palette.label}
        placeholder={t.palette.label}
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={onValue((value) => {
          setText(value);
          setAt(0);
        })}
        onKeyDown={onKeyDown}
      />
      <ChoiceList {...{ list, choices, current, choose }} />
    </Dialog>
  );
}
