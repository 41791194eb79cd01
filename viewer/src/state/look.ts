// How the page looks and speaks: theme and language, remembered in this browser.
import { computed, effect, signal } from "@preact/signals";
import { type Language, words } from "../words/index.ts";

export const themes = ["auto", "light", "dark"] as const;

type Theme = (typeof themes)[number];

/** A browser may forbid storage: then nothing is remembered, and all else works. */
function remembered(name: string): string | null {
  try {
    return localStorage.getItem(`throughline.${name}`);
  } catch (error) {
    console.info("throughline: nothing is remembered in this browser", error);
    return null;
  }
}

function remember(name: string, value: string): void {
  try {
    localStorage.setItem(`throughline.${name}`, value);
  } catch (error) {
    console.info("throughline: nothing is remembered in this browser", error);
  }
}

export const theme = signal<Theme>(themes.find((one) => one === remembered("theme")) ?? "auto");

/** What was chosen here; without a choice, what settings ask for; before they are known, the browser's own. */
const chosen = signal<Language | undefined>(languageOf(remembered("language")));
export const wanted = signal<Language | undefined>(undefined);

function languageOf(name: string | null): Language | undefined {
  return name === "en" || name === "zh" ? name : undefined;
}

export const language = computed<Language>(
  () => chosen.value ?? wanted.value ?? (/^zh\b/i.test(navigator.language) ? "zh" : "en"),
);

/** The words of the page. */
export const t = computed(() => words[language.value]);

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

export function wearLook(): void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const update = (): void => {
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
  });
}
