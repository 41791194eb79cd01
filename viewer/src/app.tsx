// The shell around every page: header, navigation, the banner of a worker that is away, help, sign-in.
import { useEffect } from "preact/hooks";
import { ProjectPicker } from "./components/filters.tsx";
import { Icon, Logo } from "./components/icon.tsx";
import { Button, DefinitionList, Dialog } from "./components/layout.tsx";
import { ErrorBoundary } from "./components/resource.tsx";
import { LoadedPage } from "./pages/load.tsx";
import { Palette } from "./palette.tsx";
import { isAway, isCodeRefused, me } from "./state/api.ts";
import { feed, isLive } from "./state/feed.ts";
import { isHelpOpen, isPaletteOpen, listenToKeys, pageKeys } from "./state/keyboard.ts";
import { language, setLanguage, setTheme, t, theme, themes } from "./state/preferences.ts";
import { linkTo, pageNames, route } from "./state/route.ts";

function Navigation() {
  const { nav, live } = t;
  const current = route.value.page === "session" ? "sessions" : route.value.page;
  const waiting = feed.value.held.length;
  return (
    <nav class="nav" aria-label={nav.label}>
      {pageNames.map((page) => (
        <a key={page} href={linkTo(page)} aria-current={page === current ? "page" : undefined}>
          <Icon name={page} />
          {nav[page]}
          {page === "live" && waiting > 0 && <span class="count tiny num">{waiting}</span>}
        </a>
      ))}
      <div class="foot">
        <span class={isLive.value ? "dot on" : "dot off"} />{" "}
        {me.value?.paused === true ? live.captureOff : isLive.value ? live.connected : live.waiting}
        <div class="num">{me.value?.version}</div>
      </div>
    </nav>
  );
}

function openHelp() {
  isHelpOpen.value = true;
}

export function App() {
  const { nav, away, title } = t;
  const { page } = route.value;
  useEffect(listenToKeys, []);
  useEffect(() => {
    document.title = `${page === "session" ? nav.sessions : nav[page]} · Throughline`;
  }, [page, nav]);
  return (
    <div class="shell">
      <button type="button" class="skip" onClick={() => document.getElementById("main")?.focus()}>
        {nav.skip}
      </button>
      <header class="bar">
        <a class="wordmark" href={linkTo("home")} aria-label={title}>
          <Logo />
          <span>Throughline</span>
        </a>
        <ProjectPicker />
        <span class="grow" />
        <a class="find" href={linkTo("search")} aria-label={nav.find}>
          <Icon name="search" />
          <span>{nav.find}</span>
          <span class="hint" aria-hidden="true">
            <kbd>/</kbd>
          </span>
        </a>
        <PreferenceButtons />
        <Button class="quiet" aria-label={nav.help} title={nav.help} onClick={openHelp}>
          <Icon name="help" />
        </Button>
      </header>
      <Navigation />
      <main class="main" id="main" tabIndex={-1}>
        <div role="status">
          {isAway.value && (
            <div class="banner">
              <Icon name="warn" />
              <span>
                {away.text} <code>throughline worker start</code>
              </span>
            </div>
          )}
        </div>
        <ErrorBoundary key={page}>
          <LoadedPage page={page} />
        </ErrorBoundary>
      </main>
      {isHelpOpen.value && <Help />}
      {isPaletteOpen.value && <Palette />}
    </div>
  );
}

/** Keys that are pressed one after the other. */
const keys = (...names: readonly string[]) =>
  names.map((name, at) => [at > 0 && " ", <kbd key={name}>{name}</kbd>]);

function Help() {
  const { help, nav } = t;
  return (
    <Dialog
      title={help.title}
      onClose={() => {
        isHelpOpen.value = false;
      }}
    >
      <DefinitionList
        class="keys"
        of={[
          [keys("⌘K", "Ctrl+K"), help.palette],
          [keys("/"), help.search],
          [keys("j", "k"), help.move],
          [keys("Enter"), help.open],
          [keys("Esc"), help.close],
          ...Object.entries(pageKeys).map(([key, page]) => [keys("g", key), nav[page]] as const),
          [keys("?"), help.help],
        ]}
      />
    </Dialog>
  );
}

/** Language and theme, each a button that switches to the next one. */
function PreferenceButtons() {
  const isChinese = language.value === "zh";
  const label = t.look.theme(t.look.themes[theme.value]);
  const next = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? "auto";
  return (
    <>
      <Button
        class="quiet"
        lang={isChinese ? "en" : "zh-Hans"}
        title={t.look.language}
        onClick={() => setLanguage(isChinese ? "en" : "zh")}
      >
        {isChinese ? "EN" : "中文"}
      </Button>
      <Button class="quiet" aria-label={label} title={label} onClick={() => setTheme(next)}>
        <Icon name={theme.value} />
      </Button>
    </>
  );
}

/** Shown to a browser that is not signed in: how to sign in, and nothing else. */
export function SignIn() {
  const { signIn } = t;
  return (
    <main class="alone">
      <div>
        <span class="wordmark">
          <Logo />
          Throughline
        </span>
        <h1>{signIn.title}</h1>
        {isCodeRefused.value && <p role="alert">{signIn.refused}</p>}
        <p>{signIn.how}</p>
        <pre class="command">throughline open</pre>
        <p>{signIn.why}</p>
        <div class="switches">
          <PreferenceButtons />
        </div>
      </div>
    </main>
  );
}
