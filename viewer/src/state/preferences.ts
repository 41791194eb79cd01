// Theme and language of the page, stored in this browser.
import { computed, effect, signal } from "@preact/signals";
import { locale } from "../components/format.ts";
import { type Language, languages, type Texts, texts } from "../texts/index.ts";

export const themes = ["auto", "light", "dark"] as const;

/** Stores a preference, or reads it without a value. A browser may forbid storage: the page then works without it. */
function stored(name: "theme" | "language", value?: string) {
  const key = `throughline.${name}`;
  try {
    if (value === undefined) return localStorage.getItem(key);
    localStorage.setItem(key, value);
  } catch (error) {
    console.info("throughline: nothing is remembered in this browser", error);
  }
  return null;
}

export const theme = signal<(typeof themes)[number]>("auto");

/** The language chosen here wins over the configured one, and that over the browser's. */
const chosenLanguage = signal<Language>();
export const configuredLanguage = signal<Language>();

export const language = computed<Language>(
  () => chosenLanguage.value ?? configuredLanguage.value ?? (/^zh\b/i.test(navigator.language) ? "zh" : "en"),
);

/** The texts of the page in the current language; a component that reads one renders again when the language changes. */
export const t: Texts = new Proxy(texts.en, {
  get: (_, section) => Reflect.get(texts[language.value], section),
});

/** The text of a key that may have none; the key itself then. */
export const textFor = (names: Readonly<Record<string, string>>, key: string) => names[key] ?? key;

/** An observation is named by its type, everything else by its kind. */
export const kindName = (kind: keyof Texts["kinds"], type: string | undefined) =>
  type === undefined ? t.kinds[kind] : textFor(t.types, type);

export function setTheme(next: typeof theme.value) {
  theme.value = next;
  stored("theme", next);
}

export function setLanguage(next: Language) {
  chosenLanguage.value = next;
  stored("language", next);
}

/** Whether the page is dark now, for drawings on a canvas, which no stylesheet reaches. */
export const isDark = signal(false);

/** Applies the stored preferences and keeps the page up to date with them. Runs before the first render. */
export function applyPreferences() {
  theme.value = themes.find((one) => one === stored("theme")) ?? "auto";
  chosenLanguage.value = languages.find((one) => one === stored("language"));
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
  // Keeps texts such as `3 min ago` current.
  setInterval(() => {
    locale.value = { ...locale.value, now: Date.now() };
  }, 30_000);
}
