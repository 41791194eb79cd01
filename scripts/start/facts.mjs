// The facts that `npm start` prints, read from the running worker by the commands that a user types.
import { execFile, spawnSync } from "node:child_process";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { root } from "../root.mjs";
import { demoPlace, feed, runHook } from "./feed.mjs";

const SECOND = 1_000;
const TIMEOUT_MS = 60 * SECOND;
const sample = path.join("sample", "session.jsonl");

/** The environment of a user who has set nothing, and whose home is the demo's folder. */
export function freshEnvironment(folder) {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(THROUGHLINE|CLAUDE|ANTHROPIC|XDG)_/.test(name) && name !== "NODE_OPTIONS",
  );
  return {
    ...Object.fromEntries(own),
    HOME: folder,
    USERPROFILE: folder,
    THROUGHLINE_HOME: path.join(folder, "throughline"),
    NO_COLOR: "1",
  };
}

const cli = path.join(root, "dist", "cli.js");
const spawnOptions = (folder) => ({
  cwd: root,
  env: freshEnvironment(folder),
  encoding: "utf8",
  maxBuffer: 64 * 1024 * 1024,
});

/** The built command, run as a user would. */
export function commandIn(folder) {
  return (...args) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], spawnOptions(folder));
    if (status !== 0) throw new Error(`throughline ${args.join(" ")} ended with ${status}: ${stderr}`);
    return stdout;
  };
}

/** The replay needs no worker, so it runs beside everything else. */
async function replayTotals(folder) {
  const args = [cli, "replay", sample, "--json"];
  const { stdout } = await promisify(execFile)(process.execPath, args, spawnOptions(folder));
  return JSON.parse(stdout).totals.map(({ policy, ratio, dollars }) => ({ policy, ratio, dollars }));
}

const asked = (throughline, ...args) => JSON.parse(throughline(...args, "--json"));

/** Until everything is taken in and observed: nothing waits in spool or queue, and every turn has its summary. */
async function settled(throughline, prompts) {
  const end = Date.now() + TIMEOUT_MS;
  for (;;) {
    const { spool, queue } = asked(throughline, "worker", "status");
    if (spool.waiting + queue.ready + queue.leased === 0) {
      const stats = asked(throughline, "data", "stats");
      if (stats.counts.summaries >= prompts) return stats;
    }
    if (Date.now() > end) throw new Error("the worker did not finish in time; its log says why");
    await sleep(100);
  }
}

/** What stood in the window before the compaction and does not stand in the agent's own summary of it. */
function broughtBack(throughline, session) {
  const { blobs } = asked(throughline, "recall", "--session", session);
  const { handle, bytes } = blobs.find(({ origins }) => origins.some(({ level }) => level === "compact"));
  const pattern = "NO BOAT";
  const { matches } = asked(throughline, "recall", handle, "--pattern", pattern);
  return { handle, bytes, pattern, matches: matches.map(({ line, text }) => ({ line, text })) };
}

/**
 * What a session that starts now is told by the hook, in the words that the model gets. Where the machine has much else
 * to do, the hook's deadline may pass; it is asked again then.
 */
async function nextFact(place, env) {
  const [first] = place.payloads;
  const session = first.session_id.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
  const transcript = place.transcript.replace(first.session_id, session);
  const payload = { ...first, session_id: session, cwd: place.project, transcript_path: transcript };
  for (const end = Date.now() + TIMEOUT_MS; ; await sleep(SECOND)) {
    const said = runHook(place, payload, env);
    const text = said === "" ? "" : (JSON.parse(said).hookSpecificOutput?.additionalContext ?? "");
    const index = text.split("\n").filter((line) => /^\| [#S]\d/.test(line));
    if (index.length > 0 || Date.now() > end) return { characters: text.length, index };
  }
}

/** An address of the viewer; each is good once. */
export const viewerIn = (folder) => asked(commandIn(folder), "open", "--print").url;

/** Plays the recorded session through hooks and worker, then asks what became of it. */
async function playedFacts(folder, onStep) {
  const throughline = commandIn(folder);
  const env = freshEnvironment(folder);
  const place = demoPlace(folder);
  throughline("worker", "start");
  const began = performance.now();
  feed(place, env, onStep);
  const seconds = (performance.now() - began) / 1_000;
  const prompts = place.payloads.filter((payload) => payload.hook_event_name === "UserPromptSubmit").length;
  const stats = await settled(throughline, prompts);
  const observations = asked(throughline, "show", "observations").items.toSorted((a, b) => a.id - b.id);
  return {
    session: place.session,
    captured: { payloads: place.payloads.length, seconds, counts: stats.counts, events: stats.eventsByKind },
    observations: observations.map(({ id, type, title }) => ({ id, type, title })),
    window: asked(throughline, "transcript", sample),
    recalled: broughtBack(throughline, place.session),
    told: await nextFact(place, env),
    viewer: viewerIn(folder),
  };
}

export async function gather(folder, onStep) {
  const [replay, played] = await Promise.all([replayTotals(folder), playedFacts(folder, onStep)]);
  return { ...played, replay };
}
