// Theme and language of the page, remembered in this browser.
import { computed, effect, signal } from "@preact/signals";
import { locale } from "../components/format.ts";
import { type Language, languages, type Texts, texts } from "../texts/index.ts";

export const themes = ["auto", "light", "dark"] as const;

type Theme = (typeof themes)[number];

/** A browser may forbid storage: then nothing is remembered, and all else works. */
function readStored(name: string) {
  try {
    return localStorage.getItem(`throughline.${name}`);
  } catch (error) {
    console.info("throughline: nothing is remembered in this browser", error);
    return null;
  }
}

function writeStored(name: string, value: string) {
  try {
    localStorage.setItem(`throughline.${name}`, value);
  } catch (error) {
    console.info("throughline: nothing is remembered in this browser", error);
  }
}

export const theme = signal<Theme>("auto");

/** What was chosen here; without a choice, what settings ask for; before they are known, the browser's own. */
const chosenLanguage = signal<Language | undefined>(undefined);
export const configuredLanguage = signal<Language | undefined>(undefined);

export const language = computed<Language>(
  () => chosenLanguage.value ?? configuredLanguage.value ?? (/^zh\b/i.test(navigator.language) ? "zh" : "en"),
);

/** The words of the page. */
export const t = computed(() => texts[language.value]);

/** One of the words by its key; a key without one stands for itself. */
export const textFor = (names: Readonly<Record<string, string>>, key: string): string => names[key] ?? key;

/** An observation is called by its type, everything else by its kind. */
export const kindName = (kind: keyof Texts["kinds"], type: string | undefined): string =>
  type === undefined ? t.value.kinds[kind] : textFor(t.value.types, type);

export function setTheme(next: Theme): void {
  theme.value = next;
  writeStored("theme", next);
}

export function setLanguage(next: Language): void {
  chosenLanguage.value = next;
  writeStored("language", next);
}

/** Changes whenever colours do, for what is drawn and not styled. */
export const isDark = signal(false);

/** Applies what is remembered and keeps the page in step with it; before anything is rendered. */
export function applyPreferences(): void {
  theme.value = themes.find((one) => one === readStored("theme")) ?? "auto";
  chosenLanguage.value = languages.find((one) => one === readStored("language"));
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
    locale.value = { ...locale.peek(), language: language.value };
  });
  // `3 min ago` has to change by itself.
  setInterval(() => {
    locale.value = { ...locale.value, now: Date.now() };
  }, 30_000);
}
