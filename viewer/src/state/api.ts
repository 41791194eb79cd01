// Requests to the worker, and its state: whether it answers, whether this browser is signed in, which projects it has.
import { computed, signal } from "@preact/signals";
import type { Me, Problem } from "../../../src/http/wire.ts";
import { configuredLanguage } from "./preferences.ts";
import { signInCodeIn } from "./route.ts";

/** A failed request. Code `away`: no answer came. `signed-out`: no valid cookie. Otherwise the worker's own code. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly problem: Problem["error"];
  constructor(status: number, problem: Problem["error"]) {
    super(problem.message);
    this.status = status;
    this.problem = problem;
  }
}

export type Query = Readonly<Record<string, string | number | undefined>>;

export function urlWith(path: string, query: Query = {}) {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

async function readProblem(response: Response) {
  try {
    const { error } = (await response.json()) as Problem;
    if (typeof error?.message === "string") return error;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return { code: "unreadable", message: `The worker answered ${response.status} and said nothing more.` };
}

async function sendRequest(url: string, init: RequestInit) {
  let response: Response;
  try {
    response = await fetch(url, { credentials: "same-origin", cache: "no-store", ...init });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    handleAway();
    throw new ApiError(0, { code: "away", message: "The worker does not answer." });
  }
  if (response.ok) return response;
  if (response.status !== 401) throw new ApiError(response.status, await readProblem(response));
  signInState.value = "signed-out";
  const message = "This browser is not signed in.";
  throw new ApiError(401, { code: "signed-out", message, fix: "throughline open" });
}

export async function getJson<T>(path: string, query?: Query, signal?: AbortSignal) {
  const response = await sendRequest(urlWith(path, query), { signal: signal ?? null });
  return (await response.json()) as T;
}

/** Sends an object as JSON, or a file of JSON lines as it is. */
export async function post<T>(path: string, body: object) {
  const isFile = body instanceof Blob;
  const response = await sendRequest(path, {
    method: "POST",
    headers: { "content-type": isFile ? "application/x-ndjson" : "application/json" },
    body: isFile ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return (text === "" ? {} : JSON.parse(text)) as T;
}

/** `unknown` until the first answer. */
export const signInState = signal<"unknown" | "signed-in" | "signed-out">("unknown");
export const isCodeRefused = signal(false);
export const isAway = signal(false);
export const me = signal<Me>();
/** Grows each time the worker is back, so that every page loads its data again. */
export const reconnects = signal(0);

const projectsById = computed(() => new Map(me.value?.projects.map((card) => [card.project, card])));

/** True also before the projects are known. */
export function isKnownProject(project: string) {
  return me.value === undefined || projectsById.value.has(project);
}

/** A project's name; for an unknown one its id without the hash at its end. */
export function projectName(project: string) {
  return projectsById.value.get(project)?.name ?? project.replace(/-[0-9a-f]{8}$/, "");
}

let isPolling = false;

/** Polls `/health` until the worker answers. */
async function waitForWorker() {
  if (isPolling) return;
  isPolling = true;
  for (let attempt = 0; isAway.value; attempt++) {
    await new Promise((resolve) => setTimeout(resolve, [500, 1_000, 2_000][attempt] ?? 4_000));
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

export function handleAway() {
  isAway.value = true;
  void waitForWorker();
}

export async function loadMe() {
  try {
    me.value = await getJson<Me>("/api/me");
    configuredLanguage.value = me.value.locale;
    signInState.value = "signed-in";
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // `request` handles a worker that is away and a browser that is signed out; pages show any other failure themselves.
    if (error.status >= 500) signInState.value = "signed-in";
  }
}

/** Exchanges a code in the address for the cookie, after removing it from the address and the history. */
export async function signIn() {
  const code = signInCodeIn(location.hash);
  if (code !== undefined) {
    history.replaceState(null, "", "#/home");
    dispatchEvent(new HashChangeEvent("hashchange"));
    try {
      await post("/api/sign-in", { code });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      isCodeRefused.value = true;
    }
  }
  await loadMe();
}
