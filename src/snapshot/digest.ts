// What the model is told of a snapshot: its state and its latest messages, cut to a number of characters.
import type { Language } from "../home/index.ts";
import { firstCharacters, ownContextMark } from "../lib/index.ts";
import { quoted } from "../redact/inert.ts";
import type { Page } from "./page.ts";
import { digestWords, voidWords } from "./words.ts";

interface DigestOptions {
  /** The snapshot's path as the model can open it. */
  readonly file: string;
  readonly handles: readonly string[];
  readonly language: Language;
  /** Characters, the mark around it included. */
  readonly budget: number;
  /** Not known when the snapshot was written. */
  readonly nonce: string;
}

interface QuotedTurn {
  readonly heading: string;
  readonly body: string;
}

const turnHeading = /^### Turn \d+: (?:User|Assistant)$/;

interface SnapshotText {
  /** The working state, without what it does not know. */
  readonly state: string;
  /** What was asked and answered. */
  readonly exchanges: string;
  readonly turns: readonly QuotedTurn[];
}

/** State, exchanges and the last messages. What stands in a fence may hold anything, headings too. */
export function readSnapshotText(text: string): SnapshotText {
  const state: string[] = [];
  const exchanges: string[] = [];
  const turns: { heading: string; body: string[] }[] = [];
  let [part, fence] = [state, ""];
  for (const line of text.split(/\r?\n/)) {
    if (fence !== "") {
      if (line === fence) fence = "";
      else part.push(line);
    } else if (turnHeading.test(line)) {
      part = [];
      turns.push({ heading: line, body: part });
    } else if (line.startsWith("## 💬")) part = exchanges;
    else if (line === "---" && turns.length > 0) break;
    else if (part !== state && part.every((one) => one === "") && /^`{3,}text$/.test(line))
      fence = line.slice(0, -"text".length);
    else if (!/^<!-- THROUGHLINE_|^---$|^## 📝/u.test(line)) part.push(line);
  }
  return {
    state: withoutUnknown(state).join("\n"),
    exchanges: exchanges.join("\n").trim(),
    turns: turns.map(({ heading, body }) => ({ heading, body: body.join("\n").trim() })),
  };
}

const MOST_DIGEST_FILES = 8;
// Not from the words of the sections: a hook that decides alone carries this file with it.
const decisionsLabel = /^\*\*(?:Key decisions|关键技术决策)\*\*:$/u;
const fileLine = /^- .* \((?:written|edited|read|changed in git|已写入|已编辑|已读取|git中有改动)/u;

/** A label without a value says nothing to a model, and of files the first ones are in play; the file keeps all. */
function withoutUnknown(lines: readonly string[]) {
  let files = 0;
  const known = lines.filter(
    (line) =>
      !/^(?:\*\*[^*]+\*\*: |- |1\. )unknown$/.test(line) &&
      !(fileLine.test(line) && ++files > MOST_DIGEST_FILES) &&
      !/^\*\*(?:Generated|Valid for|生成时间|有效期)\*\*/u.test(line) &&
      !/^# /.test(line),
  );
  // What was decided is shown in the words of both sides.
  const from = known.findIndex((line) => decisionsLabel.test(line));
  if (from >= 0) {
    const end = known.findIndex((line, at) => at > from && !line.startsWith("- "));
    known.splice(from, (end < 0 ? known.length : end) - from);
  }
  return known.filter(
    (line, at) => !/^\*\*[^*]+\*\*:$/.test(line) || /^(?:- |\d+\. )/.test(known[at + 1] ?? ""),
  );
}

const SHARE_OF_STATE = 0.25;
const SMALLEST_TURN = 200;

/** The latest messages that fit, in their order; the oldest of them may be cut. */
function latestTurns(turns: readonly QuotedTurn[], room: number, cut: string) {
  const taken: string[] = [];
  let left = room;
  for (const { heading, body } of turns.toReversed()) {
    const whole = `${heading}\n\n${quoted(body)}`;
    const fits = whole.length + 2 <= left;
    if (!fits && left < SMALLEST_TURN) break;
    const shown = fits ? whole : `${firstCharacters(whole, left - cut.length - 3)}\n${cut}`;
    taken.unshift(shown);
    left -= shown.length + 2;
    if (!fits) break;
  }
  return taken;
}

/** The newest lines that fit: exchanges are in the order of time. */
function latestLines(text: string, room: number, cut: string) {
  const whole = quoted(text);
  if (whole.length <= room) return whole;
  const lines = whole.split("\n");
  while (lines.length > 1 && lines.join("\n").length + cut.length + 1 > room) lines.shift();
  return `${cut}\n${firstCharacters(lines.join("\n"), room - cut.length - 1)}`;
}

/**
 * At most `budget` characters; empty when not even the way to the snapshot fits. Every line that comes from the
 * snapshot is marked as quoted: nothing that was said can pass for a heading, or for the end.
 */
export function digestOf(text: string, { file, handles, language, budget, nonce }: DigestOptions) {
  const words = digestWords[language];
  const { state, exchanges, turns } = readSnapshotText(text);
  const open = `<${ownContextMark.name} kind="snapshot" nonce="${nonce}">`;
  const intro = [words.intro(file), ...(handles.length > 0 ? [words.handles(handles.join(", "))] : [])].join(
    "\n",
  );
  const close = `${words.end(nonce)}\n${ownContextMark.close}`;
  const frame = [open, intro, close];
  const room = budget - frame.join("\n\n").length - 4;
  if (room < 0) return "";
  const plain = quoted(state.replace(/\n{3,}/g, "\n\n").trim());
  const stateRoom = Math.floor(room * SHARE_OF_STATE);
  const shownState =
    plain.length <= stateRoom
      ? plain
      : `${firstCharacters(plain, stateRoom - words.cut.length - 1)}\n${words.cut}`;
  const left = room - shownState.length - words.last.length - 4;
  const said =
    left < SMALLEST_TURN
      ? []
      : exchanges === ""
        ? latestTurns(turns, left, words.cut)
        : [latestLines(exchanges, left, words.cut)];
  const parts = [open, intro, shownState, ...(said.length > 0 ? [words.last, ...said] : [])];
  return [...parts.filter((part) => part !== ""), close].join("\n\n");
}

export interface VoidBlock {
  readonly page: Page;
  /** The snapshot that the block names, where it names one. */
  readonly name: string | undefined;
  readonly why: "outdated" | "foreign";
}

/** Empty where every block holds. */
export function voidText(
  blocks: readonly VoidBlock[],
  { language, nonce }: { readonly language: Language; readonly nonce: string },
) {
  if (blocks.length === 0) return "";
  const words = voidWords[language];
  const lines = blocks.map(({ page, name, why }) => words[why](page, name && `.claude/${name}`));
  return [
    `<${ownContextMark.name} kind="snapshot-void" nonce="${nonce}">`,
    ...lines,
    words.end(nonce),
    ownContextMark.close,
  ].join("\n");
}
