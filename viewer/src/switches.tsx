// Theme and language, each one button that goes to the next.
import { Icon } from "./parts/icon.tsx";
import { chooseLanguage, chooseTheme, language, t, theme, themes } from "./state/look.ts";

export function Switches() {
  const { look } = t.value;
  const next = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? "auto";
  return (
    <>
      <button
        type="button"
        class="quiet"
        lang={language.value === "zh" ? "en" : "zh-Hans"}
        title={look.language}
        onClick={() => chooseLanguage(language.value === "zh" ? "en" : "zh")}
      >
        {language.value === "zh" ? "EN" : "中文"}
      </button>
      <button
        type="button"
        class="quiet"
        aria-label={look.theme(look.themes[theme.value])}
        title={look.theme(look.themes[theme.value])}
        onClick={() => chooseTheme(next)}
      >
        <Icon name={theme.value} />
      </button>
    </>
  );
}
