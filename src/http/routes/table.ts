// Every route of the HTTP server and what it answers: the worker serves exactly these, and the page requests no others.

export const routes = {
  "GET /": "the viewer, without signing in: it is a program and holds no data; 501 until it is built",
  "GET /assets/:name": "its parts, by their exact names",
  "GET /favicon.svg": "its icon",
  "GET /health": '`{ "status": "ok" }`, without signing in',
  "POST /api/sign-in": "`{ code }` from `throughline open`, once and within two minutes, for a cookie",
  "POST /api/sign-out": "takes the cookie away",
  "GET /api/me": "version, language, whether capture is paused, and the projects there are",
  "GET /stream": "changes as server-sent events",
  "GET /api/search": "what was found for `query`, in everything that is kept ([below](#search))",
  "GET /api/timeline":
    "prompts, observations and summaries in one order; filters of [lists](#pages), `kinds`, `type`, `file`, `concept`",
  "GET /api/days":
    "how many rows the same filters leave on each day, newest first; days of UTC or `offset` minutes east of it",
  "GET /api/items": "rows whole by their `refs` (`#12,S3,P7`), in that order; what is not there is left out",
  "GET /api/sessions": "sessions with titles and counts, last active first; `status` is active or completed",
  "GET /api/session":
    "one session by `id`: prompts, summaries, first observations, files, snapshots, archives, notes, cost",
  "GET /api/around":
    "what happened around `around`: a ref, a time or words; `before`, `after`, `project`, `layer`",
  "GET /api/show":
    "items whole by their `refs`, with commas between them; `missing` are those that are not there",
  "GET /api/prompts": "what people asked",
  "GET /api/observations":
    "what was observed; `type` is one of decision, bugfix, feature, refactor, discovery, change",
  "GET /api/summaries": "what turns came to",
  "GET /api/stats":
    "counts and sizes of the store, what the worker says of itself, and what was [saved](lanes.md)",
  "GET /api/window":
    "what the window of `session` held at every request, and every edit and compaction of it",
  "GET /api/window/event": "one `event` of it: the texts before and after",
  "GET /api/recall": "exact text out of the vault by its `handle`, from `offset` on",
  "POST /api/undo":
    "`{ session, entry }`: takes an edit of the window back where that is legal; 409 says why not",
  "GET /api/memories":
    "the memories of a `project`, each with how far it still holds, what lint finds, and what waits in quarantine",
  "GET /api/memory": "one memory by `project` and `file`: its text, the hash of that, its history",
  "POST /api/memory":
    "`{ project, file, text, hash }`: other words; 409 when the file is not what was read, 202 when they wait for a person",
  "POST /api/memory/undo": "`{ project, id }`: takes back a change of the history",
  "POST /api/quarantine": "`{ project, id, verdict }`: `approve` lets a text out, `reject` deletes it",
  "GET /api/settings": "every setting, its value and where it comes from",
  "POST /api/settings":
    '`{ "worker.idleMinutes": 45, "policy": null }`: sets, or takes out of, the user\'s own file; one mistake changes nothing',
  "POST /api/provider-test":
    "one small request to the model that settings name: whether it answers, and how fast",
  "POST /api/pause": "`{ paused }`: captures nothing from now on, or goes on",
  "POST /api/forget":
    "`{ session?, project?, from?, to?, carryOut }`: what is kept of it; with `carryOut` it goes, and is looked for again",
  "GET /api/export": "lines of JSON as a download ([store](store.md)); `project`, `session`, `from`, `to`",
  "POST /api/import":
    "such lines, `application/x-ndjson`, at most 512 MB: each is scanned for secrets, what is known stays as it is",
  "POST /mods/:op": "what the mod inside Claude Code asks ([lanes](lanes.md)); 409 leaves it to others",
} as const satisfies Readonly<Record<`${"GET" | "POST"} /${string}`, string>>;

export type Route = keyof typeof routes;

/** `GET` and `/api/me`: what a route is made of. */
export function partsOf(route: string): { readonly method: string; readonly path: string } {
  const [method = "", path = ""] = route.split(" ");
  return { method, path };
}
