// The shell around every page: the bar, the navigation, who is away, and what keys do everywhere.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Help } from "./help.tsx";
import { isHelpOpen, listenToKeys } from "./keyboard.ts";
import { Icon, Mark } from "./parts/icon.tsx";
import { ProjectPicker } from "./parts/projectPicker.tsx";
import { asProblem } from "./parts/resource.ts";
import { Bones, ProblemNote } from "./parts/states.tsx";
import { type Place, pages } from "./state/address.ts";
import { t } from "./state/look.ts";
import { linkTo, place } from "./state/place.ts";
import { feed, isLive } from "./state/stream.ts";
import { isAway, me } from "./state/worker.ts";
import { Switches } from "./switches.tsx";
import type { WireError } from "./wire.ts";

type PageModule = { readonly default: ComponentType };

/** Each page is a file of its own, read when it is first opened. */
const modules: Readonly<Record<Place["page"], () => Promise<PageModule>>> = {
  live: () => import("./pages/live/page.tsx"),
  timeline: () => import("./pages/timeline/page.tsx"),
  search: () => import("./pages/search/page.tsx"),
  sessions: () => import("./pages/sessions/page.tsx"),
  session: () => import("./pages/session/page.tsx"),
  memory: () => import("./pages/memory/page.tsx"),
  stats: () => import("./pages/stats/page.tsx"),
  settings: () => import("./pages/settings/page.tsx"),
};

function CurrentPage({ name }: { readonly name: Place["page"] }) {
  const [loaded, setLoaded] = useState<{ name: string; Page?: ComponentType; error?: WireError }>();
  useEffect(() => {
    modules[name]().then(
      (module) => setLoaded({ name, Page: module.default }),
      // A newer build has other files: the page itself has to be read again.
      (error) => setLoaded({ name, error: asProblem(error) }),
    );
  }, [name]);
  if (loaded?.name === name && loaded.Page !== undefined) return <loaded.Page />;
  return (
    <div class="page">
      {loaded?.name === name && loaded.error !== undefined ? (
        <ProblemNote error={loaded.error} retry={() => location.reload()} />
      ) : (
        <Bones />
      )}
    </div>
  );
}

function Navigation() {
  const { nav, live } = t.value;
  const current = place.value.page === "session" ? "sessions" : place.value.page;
  const waiting = feed.value.held.length;
  return (
    <nav class="nav" aria-label={nav.label}>
      {pages.map((page) => (
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

export function App() {
  const { nav, away, title } = t.value;
  const { page } = place.value;
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
        <a class="wordmark" href={linkTo("live")} aria-label={title}>
          <Mark />
          <span>Throughline</span>
        </a>
        <ProjectPicker />
        <span class="grow" />
        <a class="find" href={linkTo("search")} aria-label={nav.search}>
          <Icon name="search" />
          <span>{nav.find}</span>
          <kbd>/</kbd>
        </a>
        <Switches />
        <button
          type="button"
          class="quiet"
          aria-label={nav.help}
          title={nav.help}
          onClick={() => {
            isHelpOpen.value = true;
          }}
        >
          <Icon name="help" />
        </button>
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
        <CurrentPage name={page} />
      </main>
      {isHelpOpen.value && <Help />}
    </div>
  );
}
