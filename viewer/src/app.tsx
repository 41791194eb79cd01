// The shell around every page: the bar, the navigation, who is away, and what keys do everywhere.
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { Help } from "./help.tsx";
import { isHelpOpen, listenToKeys } from "./keyboard.ts";
import Live from "./pages/live/page.tsx";
import Memory from "./pages/memory/page.tsx";
import Search from "./pages/search/page.tsx";
import SessionPage from "./pages/session/page.tsx";
import Sessions from "./pages/sessions/page.tsx";
import Settings from "./pages/settings/page.tsx";
import Stats from "./pages/stats/page.tsx";
import Timeline from "./pages/timeline/page.tsx";
import { Boundary } from "./parts/boundary.tsx";
import { Icon, Mark } from "./parts/icon.tsx";
import { ProjectPicker } from "./parts/projectPicker.tsx";
import { type Place, pages } from "./state/address.ts";
import { t } from "./state/look.ts";
import { linkTo, place } from "./state/place.ts";
import { feed, isLive } from "./state/stream.ts";
import { isAway, me } from "./state/worker.ts";
import { Switches } from "./switches.tsx";

const components: Readonly<Record<Place["page"], ComponentType>> = {
  live: Live,
  timeline: Timeline,
  search: Search,
  sessions: Sessions,
  session: SessionPage,
  memory: Memory,
  stats: Stats,
  settings: Settings,
};

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
  const Page = components[page];
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
        <a class="find" href={linkTo("search")} aria-label={nav.find}>
          <Icon name="search" />
          <span>{nav.find}</span>
          <span class="hint" aria-hidden="true">
            <kbd>/</kbd>
          </span>
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
        <Boundary key={page}>
          <Page />
        </Boundary>
      </main>
      {isHelpOpen.value && <Help />}
    </div>
  );
}
