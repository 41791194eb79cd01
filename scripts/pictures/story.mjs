// Believable work of a few weeks, as the lines of an export: what the pictures of the page are taken of.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** A few sessions in full, and what fills the weeks before: shorter, and repeated with other files. */
export const story = JSON.parse(readFileSync(new URL("story.json", import.meta.url), "utf8"));

const HOUR = 3_600_000;
const digest = (text) => createHash("sha256").update(text).digest("hex");
const projectId = (name) => `${name}-${digest(name).slice(0, 8)}`;
const sessionId = (name, at) =>
  digest(`${name}${at}`).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/, "$1-$2-4$3-9$4-$5");
const pick = (list, at) => list[at % list.length];

function earlierSessions() {
  const made = [];
  for (let day = 3; day < 40; day++) {
    // Weekends are quieter, and no two days alike.
    const count = [0, 6].includes((day + 2) % 7) ? (day % 3 === 0 ? 1 : 0) : 1 + ((day * day * 7 + day) % 5);
    for (let at = 0; at < count; at++) {
      const seed = (day * 37 + at * 11 + day * day * at) % 97;
      const observed = Array.from({ length: 2 + (seed % 5) }, (_, n) => ({
        ...pick(story.earlier, seed + n * 3),
        files: [pick(story.files, seed + n)],
      }));
      made.push({
        project: pick(["lanternfish", "ferry-times", "quill", "pier-display", "lanternfish"], seed),
        hoursAgo: day * 24 + 3 + at * 2.5,
        turns: [
          {
            prompt: pick(story.prompts, seed),
            observed,
            completed: "Done, with tests.",
            learned: pick(story.earlier, seed).title,
          },
        ],
      });
    }
  }
  return made;
}

function* linesOfTurn(turn, { session, project, number, start }) {
  const at = (minutes) => new Date(start + minutes * 60_000).toISOString();
  const row = (kind, n) => ({
    session,
    project,
    promptNumber: number,
    uid: `${session}-${number}-${kind}-${n}`,
  });
  yield { type: "prompt", ...row("p", 0), at: at(0), promptText: turn.prompt };
  for (const [n, { type, title, subtitle, files, concepts }] of turn.observed.entries()) {
    const isChange = ["bugfix", "feature", "refactor", "change"].includes(type);
    yield {
      type: "observation",
      ...row("o", n),
      at: at(3 + n * 4),
      observationType: type,
      title,
      subtitle,
      narrative: `${title}. ${subtitle ?? ""} Seen while working on: ${turn.prompt}`.trim(),
      facts: [subtitle ?? title, ...files.map((file) => `${isChange ? "Changed" : "Read"} ${file}`)],
      concepts,
      ...(isChange ? { filesModified: files, filesRead: files.slice(0, 1) } : { filesRead: files }),
      toolName: isChange ? "Edit" : "Read",
    };
  }
  const { prompt: request, learned, completed, next: nextSteps } = turn;
  const end = at(6 + turn.observed.length * 4);
  yield { type: "summary", ...row("s", 0), at: end, request, learned, completed, nextSteps };
  const text = [completed, learned].filter(Boolean).join(" ");
  const uuid = `${session}-${number}-m`;
  yield { type: "message", session, project, at: at(7), role: "assistant", uuid, text };
}

/** The lines of an export of this work, as it would look now. */
export function storyLines(now = Date.now()) {
  const data = [...story.sessions, ...earlierSessions()].flatMap(({ project: name, hoursAgo, turns }) => {
    const [project, session] = [projectId(name), sessionId(name, hoursAgo)];
    const start = now - hoursAgo * HOUR;
    const end = new Date(start + turns.length * 40 * 60_000).toISOString();
    const head = {
      session,
      project,
      at: new Date(start).toISOString(),
      lastActivityAt: end,
      promptCounter: turns.length,
    };
    const state = hoursAgo < 2 ? { status: "active" } : { status: "completed", completedAt: end };
    return [
      { type: "session", ...head, ...state },
      ...turns.flatMap((turn, n) => [
        ...linesOfTurn(turn, { session, project, number: n + 1, start: start + n * 40 * 60_000 }),
      ]),
    ];
  });
  return [{ throughline: "export", version: 1 }, ...data, { type: "end", lines: data.length }].map((line) =>
    JSON.stringify(line),
  );
}
