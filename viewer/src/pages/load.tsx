// Loads a page when it is first shown, and the others once the browser has nothing else to do: a page that was never opened works
// without the worker too.
import { type Signal, signal } from "@preact/signals";
import type { FunctionComponent } from "preact";
import { useEffect } from "preact/hooks";
import { LoadingSkeleton } from "../components/resource.tsx";
import { reconnects } from "../state/api.ts";
import { type Route, route } from "../state/route.ts";

type PageModule = { readonly default: FunctionComponent };

const loaders: Readonly<Record<Route["page"], () => Promise<PageModule>>> = {
  home: () => import("./home/page.tsx"),
  live: () => import("./live/page.tsx"),
  timeline: () => import("./timeline/page.tsx"),
  search: () => import("./search/page.tsx"),
  sessions: () => import("./sessions/page.tsx"),
  session: () => import("./session/page.tsx"),
  memory: () => import("./memory/page.tsx"),
  stats: () => import("./stats/page.tsx"),
  settings: () => import("./settings/page.tsx"),
};

const loaded: Signal<Partial<Record<Route["page"], FunctionComponent>>> = signal({});
const failure = signal<unknown>();

const RETRY_MS = 1_000;
const MOST_RETRIES = 60;

/**
 * A worker that is away may be back in a moment: the banner says so until then. Where a module fails still after that, the
 * browser remembers that a part of it failed, and the whole page is loaded anew.
 */
async function load(
  page: Route["page"],
  retries = MOST_RETRIES,
  knownReconnects = reconnects.peek(),
): Promise<void> {
  if (loaded.peek()[page]) return;
  try {
    const { default: Page } = await loaders[page]();
    loaded.value = { ...loaded.peek(), [page]: Page };
  } catch (error) {
    if (reconnects.peek() > knownReconnects && route.peek().page === page) location.reload();
    else if (retries > 0) setTimeout(() => void load(page, retries - 1, knownReconnects), RETRY_MS);
    else failure.value = error;
  }
}

const whenIdle = (work: () => void) =>
  "requestIdleCallback" in globalThis ? requestIdleCallback(work, { timeout: 3_000 }) : setTimeout(work, 300);

async function loadRest() {
  for (const page of Object.keys(loaders) as Route["page"][]) await load(page);
}

export function LoadedPage({ page }: Pick<Route, "page">) {
  const Page = loaded.value[page];
  useEffect(() => {
    void load(page);
  }, [page]);
  useEffect(() => {
    if (Page) whenIdle(() => void loadRest());
  }, [Page !== undefined]);
  if (Page) return <Page />;
  // The boundary around the page shows it.
  if (failure.value !== undefined) throw failure.value;
  return (
    <div class="page">
      <LoadingSkeleton />
    </div>
  );
}
