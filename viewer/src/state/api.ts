// Asks the worker, and knows whether it answers, whether it knows this browser, and which projects it has.
import { computed, signal } from "@preact/signals";
import type { Me, Problem, ProjectCard } from "../../../src/http/wire.ts";
import { configuredLanguage } from "./preferences.ts";
import { signInCodeIn } from "./route.ts";

/** `away`: no answer came. `signed-out`: the worker does not know this browser. Otherwise what the worker said. */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;
  readonly fix: string | undefined;
  constructor(status: number, { code, message, fix }: Problem["error"]) {
    super(message);
    this.name = "WireError";
    this.code = code;
    this.status = status;
    this.fix = fix;
  }
}

export type Query = Readonly<Record<string, string | number | undefined>>;

export function urlWith(path: string, query: Query = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

async function problemOf(response: Response) {
  try {
    const { error } = (await response.json()) as Problem;
    if (typeof error?.message === "string") return error;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return { code: "unreadable", message: `The worker answered ${response.status} and said nothing more.` };
}

async function request(address: string, init: RequestInit) {
  let response: Response;
  try {
    response = await fetch(address, { credentials: "same-origin", cache: "no-store", ...init });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    handleAway();
    throw new ApiError(0, { code: "away", message: "The worker does not answer." });
  }
  if (response.ok) return response;
  if (response.status !== 401) throw new ApiError(response.status, await problemOf(response));
  signInState.value = "signed-out";
  const message = "This browser is not signed in.";
  throw new ApiError(401, { code: "signed-out", message, fix: "throughline open" });
}

export async function getJson<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> {
  const response = await request(urlWith(path, query), { signal: signal ?? null });
  return (await response.json()) as T;
}

export async function postJson<T>(path: string, body: object): Promise<T> {
  const headers = { "content-type": "application/json" };
  const response = await request(path, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await response.text();
  return (text === "" ? {} : JSON.parse(text)) as T;
}

/** A file of lines, as it is. */
export async function postLines<T>(path: string, lines: Blob): Promise<T> {
  const headers = { "content-type": "application/x-ndjson" };
  const response = await request(path, { method: "POST", headers, body: lines });
  return (await response.json()) as T;
}

/** `unknown` until the first answer. */
export const signInState = signal<"unknown" | "signed-in" | "signed-out">("unknown");
/** Why a code was not taken. */
export const refusedCode = signal<ApiError | undefined>(undefined);
export const isAway = signal(false);
export const me = signal<Me | undefined>(undefined);
/** Grows each time the worker is back: whatever shows something asks again. */
export const reconnects = signal(0);

const projectsById = computed(
  () => new Map<string, ProjectCard>(me.value?.projects.map((card) => [card.project, card])),
);

/** True before the projects are known, too: there is nothing to compare with yet. */
export function isKnownProject(project: string): boolean {
  return me.value === undefined || projectsById.value.has(project);
}

/** What people call a project; an unknown id stands for itself, without the digits that make it unique. */
export function projectName(project: string): string {
  return projectsById.value.get(project)?.name ?? project.replace(/-[0-9a-f]{8}$/, "");
}

const HEALTH_BACKOFF_MS = [500, 1_000, 2_000, 4_000];
let isPolling = false;

/** Asks for `/health` until the worker answers. */
async function waitForWorker() {
  if (isPolling) return;
  isPolling = true;
  for (let attempt = 0; isAway.value; attempt++) {
    const pause = HEALTH_BACKOFF_MS[Math.min(attempt, HEALTH_BACKOFF_MS.length - 1)];
    await new Promise((resolve) => setTimeout(resolve, pause));
    try {
      const { ok } = await fetch("/health", { cache: "no-store" });
      if (ok) isAway.value = false;
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
  }
  isPolling = false;
  reconnects.value += 1;
  await loadMe();
}

export function handleAway(): void {
  isAway.value = true;
  void waitForWorker();
}

export async function loadMe(): Promise<void> {
  try {
    me.value = await getJson<Me>("/api/me");
    configuredLanguage.value = me.value.locale;
    signInState.value = "signed-in";
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // Being away and being signed out are noted where they are met; a worker in trouble shows on every page.
    if (error.status >= 500) signInState.value = "signed-in";
  }
}

/** A code in the address is exchanged for the cookie, and gone from the address before anything else. */
async function exchangeCode() {
  const code = signInCodeIn(location.hash);
  if (code === undefined) return;
  history.replaceState(null, "", "#/live");
  dispatchEvent(new HashChangeEvent("hashchange"));
  try {
    await postJson("/api/sign-in", { code });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    refusedCode.value = error;
  }
}

export async function connect(): Promise<void> {
  await exchangeCode();
  await loadMe();
}
