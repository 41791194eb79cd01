// Every route of the HTTP server and what it answers: the worker serves exactly these, and the page requests no others.

export const routes = {
  "GET /": "the viewer, without sign-in: it contains no data; 501 until it is built",
  "GET /assets/:name": "files of the viewer, by exact name",
  "GET /favicon.svg": "icon of the viewer",
  "GET /health": '`{ "status": "ok" }`, without sign-in',
  "POST /api/sign-in": "`{ code }` from `throughline open`, once and within two minutes, for a cookie",
  "POST /api/sign-out": "clears the cookie",
  "GET /api/me": "version, language, whether capture is paused, and all projects",
  "GET /api/home":
    "running sessions with their windows, what was spent today and in seven days by lane, latest decisions, what waits for approval; days of `offset` minutes east of UTC",
  "GET /stream": "changes as server-sent events",
  "GET /api/search": "hits for `query` in all stored data ([below](#search))",
  "GET /api/timeline":
    "prompts, observations and summaries in one order; filters of [lists](#pages), `kinds`, `type`, `file`, `concept`",
  "GET /api/days":
    "number of rows per day under the same filters, newest first; days in UTC, or `offset` minutes east of it",
  "GET /api/items": "complete rows by their `refs` (`#12,S3,P7`), in that order; missing ones are left out",
  "GET /api/sessions": "sessions with titles and counts, last active first; `status` is active or completed",
  "GET /api/session":
    "one session by `id`: prompts, summaries, first observations, files, snapshots, archives, notes, cost",
  "GET /api/around":
    "what happened around `around`: a ref, a time or words; `before`, `after`, `project`, `layer`",
  "GET /api/show": "complete items by their comma-separated `refs`; `missing` lists those that do not exist",
  "GET /api/errors":
    "the [error book](errors.md): `query`, `project`, `session`, `class`, `state`, `file`, `from`, `to`, `limit`, `offset`",
  "GET /api/prompts": "prompts",
  "GET /api/observations":
    "observations; `type` is one of decision, bugfix, feature, refactor, discovery, change",
  "GET /api/summaries": "summaries of turns",
  "GET /api/stats":
    "counts and sizes of the store, the status of the worker, and what was [saved](lanes.md#what-was-saved)",
  "GET /api/window":
    "the contents of the window of `session` at every request, and every edit and compaction",
  "GET /api/window/event": "one `event` of a window: the texts before and after",
  "GET /api/window/compare":
    "what differs between the windows of two requests of `session`, `from` and `to`, counted from 0: texts that left, came and changed",
  "GET /api/window/preview":
    "what a compaction of `session` would leave if it were made now, without a model; the same as `throughline compact --preview`",
  "POST /api/replay":
    "`{ session?, project?, from? }`: begins to [replay](replay.md) these sessions under every policy, or says how far it is; the totals when it is done",
  "GET /api/trace":
    "the turns of `session` with time, calls, failures, tokens and cost; with `turn` (a number, or `all`) their steps in order ([trace](inspect.md#the-trace))",
  "GET /api/trace/call": "input and output of one `call` of `session`, redacted",
  "GET /api/recall": "exact text from the vault by `handle`, from `offset` on",
  "POST /api/undo":
    "`{ session, entry }`: undoes an edit of the window; 409 with the reason if that is not possible",
  "GET /api/memories":
    "the memories of a `project`, each with its standing; findings of lint; the quarantine; what was retired and can be undone",
  "GET /api/memory": "one memory by `project` and `file`: text, hash and history",
  "POST /api/memory":
    "`{ project, file, text, hash }`: new text; 409 if the file has changed since it was read, 202 if the text is quarantined",
  "POST /api/memory/add":
    "`{ project, name, description, type, body, surprising? }`: a new memory; 202 if the text is quarantined, 400 with the reason and the fix if a rule refuses it",
  "POST /api/memory/retire":
    "`{ project, file, hash }`: takes a memory out of the folder; its bytes stay in the history, and `id` undoes it",
  "POST /api/memory/undo": "`{ project, id }`: undoes a change of the history",
  "POST /api/quarantine": "`{ project, id, verdict }`: `approve` saves a text, `reject` deletes it",
  "GET /api/settings": "every setting with its value and origin",
  "POST /api/settings":
    '`{ "worker.idleMinutes": 45, "policy": null }`: sets keys in the user\'s own file, or removes them; one invalid value changes nothing',
  "POST /api/provider-test": "one small request to the configured model: whether it answers, and how fast",
  "POST /api/pause": "`{ paused }`: pauses or resumes capture",
  "POST /api/forget":
    "`{ session?, project?, from?, to?, carryOut }`: counts what is stored; with `carryOut` deletes it and checks that nothing is left",
  "POST /api/item":
    "`{ ref, action, text? }`: `edit` gives an observation or summary new fields, `delete` deletes it, `undo` takes the last of these back, `show` changes nothing",
  "GET /api/export": "JSON lines as a download ([store](store.md)); `project`, `session`, `from`, `to`",
  "POST /api/import":
    "such lines, `application/x-ndjson`, at most 512 MB: each is scanned for secrets, existing rows stay unchanged",
  "POST /v1/events": "stores events of any agent, each once ([gateway](gateway.md))",
  "POST /v1/context": "what a session of any agent, or its prompt, should be told ([gateway](gateway.md))",
  "GET /v1/search": "the same as `GET /api/search`",
  "GET /v1/recall": "the same as `GET /api/recall`",
  "POST /mods/:op": "requests of the mod inside Claude Code ([lanes](lanes.md)); 409 declines",
  "POST /live/:op":
    "questions of a carrier about a request ([live](live.md)); 409 leaves the edits as they are",
} as const satisfies Readonly<Record<`${"GET" | "POST"} /${string}`, string>>;

export type Route = keyof typeof routes;

/** `GET` and `/api/me`: what a route is made of. */
export function partsOf(route: string): { readonly method: string; readonly path: string } {
  const [method = "", path = ""] = route.split(" ");
  return { method, path };
}
