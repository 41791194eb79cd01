// Theme and language of the page, remembered in this browser.
import { computed, effect, signal } from "@preact/signals";
import { reader } from "../components/format.ts";
import { type Language, languages, type Words, words } from "../texts/index.ts";

export const themes = ["auto", "light", "dark"] as const;

type Theme = (typeof themes)[number];

/** A browser may forbid storage: then nothing is remembered, and all else works. */
function remembered(name: string) {
  try {
    return localStorage.getItem(`throughline.${name}`);
  } catch (error) {
    console.info("throughline: nothing is remembered in this browser", error);
    return null;
  }
}

function remember(name: string, value: string) {
  try {
    localStorage.setItem(`throughline.${name}`, value);
  } catch (error) {
    console.info("throughline: nothing is remembered in this browser", error);
  }
}

export const theme = signal<Theme>("auto");

/** What was chosen here; without a choice, what settings ask for; before they are known, the browser's own. */
const chosen = signal<Language | undefined>(undefined);
export const wanted = signal<Language | undefined>(undefined);

export const language = computed<Language>(
  () => chosen.value ?? wanted.value ?? (/^zh\b/i.test(navigator.language) ? "zh" : "en"),
);

/** The words of the page. */
export const t = computed(() => words[language.value]);

/** One of the words by its key; a key without one stands for itself. */
export const nameIn = (names: Readonly<Record<string, string>>, key: string): string => names[key] ?? key;

/** An observation is called by its type, everything else by its kind. */
export const kindName = (kind: keyof Words["kinds"], type: string | undefined): string =>
  type === undefined ? t.value.kinds[kind] : nameIn(t.value.types, type);

export function chooseTheme(next: Theme): void {
  theme.value = next;
  remember("theme", next);
}

export function chooseLanguage(next: Language): void {
  chosen.value = next;
  remember("language", next);
}

/** Changes whenever colours do, for what is drawn and not styled. */
export const isDark = signal(false);

/** Applies what is remembered and keeps the page in step with it; before anything is rendered. */
export function wearLook(): void {
  theme.value = themes.find((one) => one === remembered("theme")) ?? "auto";
  chosen.value = languages.find((one) => one === remembered("language"));
  const system = matchMedia("(prefers-color-scheme: dark)");
  const update = () => {
    isDark.value = theme.value === "dark" || (theme.value === "auto" && system.matches);
  };
  system.addEventListener("change", update);
  effect(() => {
    const root = document.documentElement;
    if (theme.value === "auto") delete root.dataset.theme;
    else root.dataset.theme = theme.value;
    update();
  });
  effect(() => {
    document.documentElement.lang = language.value === "zh" ? "zh-Hans" : "en";
    reader.value = { ...reader.peek(), language: language.value };
  });
  // `3 min ago` has to change by itself.
  setInterval(() => {
    reader.value = { ...reader.value, now: Date.now() };
  }, 30_000);
}
