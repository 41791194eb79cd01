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

/** The part before the first message, and the messages. A message in a fence may hold anything, headings too. */
export function readSnapshotText(text: string): {
  readonly state: string;
  readonly turns: readonly QuotedTurn[];
} {
  const lines = text.split(/\r?\n/);
  const first = lines.findIndex((line) => turnHeading.test(line));
  const state = lines.slice(0, first === -1 ? lines.length : first);
  const turns: { heading: string; body: string[] }[] = [];
  let fence = "";
  for (const line of first === -1 ? [] : lines.slice(first)) {
    const body = turns.at(-1)?.body;
    if (fence !== "") {
      if (line === fence) fence = "";
      else body?.push(line);
    } else if (turnHeading.test(line)) turns.push({ heading: line, body: [] });
    else if (line === "---") break;
    else if (body?.every((one) => one === "") && /^`{3,}text$/.test(line))
      fence = line.slice(0, -"text".length);
    else body?.push(line);
  }
  return {
    state: state.filter((line) => !/^<!-- THROUGHLINE_|^---$|^## 📝/u.test(line)).join("\n"),
    turns: turns.map(({ heading, body }) => ({ heading, body: body.join("\n").trim() })),
  };
}

const SHARE_OF_STATE = 0.55;
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

/**
 * At most `budget` characters; empty when not even the way to the snapshot fits. Every line that comes from the
 * snapshot is marked as quoted: nothing that was said can pass for a heading, or for the end.
 */
export function digestOf(text: string, { file, handles, language, budget, nonce }: DigestOptions): string {
  const words = digestWords[language];
  const { state, turns } = readSnapshotText(text);
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
  const turnsRoom = room - shownState.length - words.last.length - 4;
  const shown = turnsRoom < SMALLEST_TURN ? [] : latestTurns(turns, turnsRoom, words.cut);
  const parts = [open, intro, shownState, ...(shown.length > 0 ? [words.last, ...shown] : [])];
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
): string {
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
