// A long session for the picture of a window: a transcript of a hundred requests, and what was done to its window.
import { randomUUID } from "node:crypto";

const FIXED = 17_500;
/** Characters of a token, near enough for a picture. */
const PER_TOKEN = 3.6;
const REQUESTS = 104;
const COMPACTED_AT = 71;

const lines = [
  "  at Tiles.render (src/render/tiles.ts:118:22)  tile=%d lab=true  41.8 ms",
  "cache miss  key=req-%d:tile:5:9:3:lab  computed in 39.2 ms",
  "export function tileKey(tile: Tile, request: Request): string { // %d",
  "  ✓ renders a tile of %d pixels without a seam (12 ms)",
];
const outputOf = (step, characters) => {
  let text = "";
  for (let n = 0; text.length < characters; n++)
    text += `${lines[(step + n) % lines.length].replace("%d", String(step * 7 + n))}\n`;
  return text;
};
/** Mostly small, now and then large: as outputs of tools are. */
const sizeOf = (step) => (step % 13 === 12 ? 34_000 : 2_400 + ((step * 7_919) % 12_500));

class Recording {
  rows = [];
  ledger = [];
  last = null;

  constructor({ session, folder, start, put }) {
    Object.assign(this, { session, folder, now: start, put });
  }

  add(type, fields) {
    const uuid = randomUUID();
    this.now += 21_000;
    const about = { parentUuid: this.last, isSidechain: false, cwd: this.folder, sessionId: this.session };
    const timestamp = new Date(this.now).toISOString();
    this.rows.push({ ...about, version: "2.1.325", gitBranch: "main", type, uuid, timestamp, ...fields });
    this.last = uuid;
  }

  user(content, fields = {}) {
    this.add("user", { message: { role: "user", content }, ...fields });
  }

  /** One request: the model calls a tool with what the window holds. */
  call(step, tokens) {
    const usage = { input_tokens: 6, cache_creation_input_tokens: 1_400, output_tokens: 240 };
    const block = {
      type: "tool_use",
      id: `toolu_${step}`,
      name: step % 3 === 0 ? "Bash" : "Read",
      input: step % 3 === 0 ? { command: "npm run profile" } : { file_path: "src/render/tiles.ts" },
    };
    this.add("assistant", {
      requestId: `request-${step}`,
      message: {
        id: `msg_${step}`,
        type: "message",
        role: "assistant",
        model: "claude-opus-4-6",
        content: [{ type: "text", text: outputOf(step, 400) }, block],
        usage: { ...usage, cache_read_input_tokens: Math.round(tokens) - 1_406 },
      },
    });
  }

  result(step, text) {
    this.user([{ type: "tool_result", tool_use_id: `toolu_${step}`, content: text }]);
  }

  /** Puts a result aside: at once when it is large, later when it is old. */
  edit(step, text, { level, why, content, id }) {
    const handle = this.put(text);
    this.ledger.push({
      v: 1,
      id,
      at: new Date(this.now + 1_000).toISOString(),
      by: "here",
      level,
      why,
      edit: { kind: "replace-result", toolUseId: `toolu_${step}`, content: content(handle) },
      tokens: { before: Math.round(text.length / PER_TOKEN), after: 60 },
      handles: [handle],
    });
  }

  compact(tokens) {
    const compactMetadata = { trigger: "auto", preTokens: Math.round(tokens) };
    const parents = { parentUuid: null, logicalParentUuid: this.last };
    this.add("system", { subtype: "compact_boundary", compactMetadata, ...parents });
    this.user(`This session is being continued.\n\n${outputOf(3, 14_000)}`, { isCompactSummary: true });
  }
}

/** `put` keeps a text and gives its handle. */
export function longSession(about) {
  const session = new Recording(about);
  const sent = new Map();
  let words = 0;
  const held = () => FIXED + (words + [...sent.values()].reduce((sum, size) => sum + size, 0)) / PER_TOKEN;
  session.user(about.prompt);
  words += about.prompt.length;
  for (let step = 0; step < REQUESTS; step++) {
    if (step === COMPACTED_AT) {
      session.compact(held());
      sent.clear();
      words = 14_000;
    }
    session.call(step, held());
    words += 700;
    const text = outputOf(step, sizeOf(step));
    session.result(step, text);
    sent.set(step, text.length);
    if (text.length >= 34_000) {
      const why = `a result of ${Math.round(text.length / PER_TOKEN).toLocaleString("en-US")} tokens is more than one may take`;
      const content = (handle) => `${text.slice(0, 400)}\n[… recall ${handle} …]\n${text.slice(-400)}`;
      session.edit(step, text, { level: "budget", why, content, id: `e_${step}_1` });
      sent.set(step, 900);
    }
    if (step === 44 || step === 93) {
      session.now += 66 * 60_000;
      const old = [...sent.keys()].filter((one) => one < step - 4 && (sent.get(one) ?? 0) > 2_000);
      for (const [n, one] of old.entries()) {
        const why = "the cache was cold after 66 idle minutes: clearing old results costs nothing more";
        const content = (handle) => `[Old tool result content cleared; recall ${handle}]`;
        const id = `e_${step}_${n + 2}`;
        session.edit(one, outputOf(one, sizeOf(one)), { level: "microcompact", why, content, id });
        sent.set(one, 60);
      }
    }
  }
  return { rows: session.rows, ledger: session.ledger };
}
