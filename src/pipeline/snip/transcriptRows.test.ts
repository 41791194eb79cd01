// Snips and collapses as rows of a transcript: written in Claude Code's names, and replayed by a reader that resumes the session.
import { describe, expect, it } from "vitest";
import { KEEP_ALL, seedClient } from "../../../test/fixtures/pipeline/client.ts";
import { collapsing, requestsOf } from "../../../test/fixtures/pipeline/collapsing.ts";
import { ClaudeRows, type Row, temporaryFolder } from "../../../test/fixtures/transcript/session.ts";
import { check } from "../../messages/index.ts";
import { readConversation, windowItems } from "../../transcript/index.ts";
import {
  memorySession,
  prepare,
  seedSettings,
  snip,
  type TranscriptRow,
  transcriptRows,
  turnTags,
  undo,
} from "../index.ts";

const folder = temporaryFolder();
const readRows = (rows: readonly Row[]) => readConversation(folder.write([...rows]));
const asRows = (rows: readonly TranscriptRow[]): Row[] => rows.map((row) => ({ ...row }));

/** The session of the description: a turn about TODOs with two calls, then another one. */
function todoSession() {
  const rows = new ClaudeRows();
  const removed = [
    rows.user("find all TODOs"),
    rows.call("m1", "toolu_01"),
    rows.result("toolu_01"),
    rows.call("m2", "toolu_02"),
    rows.call("m2", "toolu_02b"),
    rows.result("toolu_02"),
    rows.result("toolu_02b"),
  ];
  const next = rows.user("leave the TODOs, the login answers 500");
  rows.call("m3", "toolu_03");
  rows.result("toolu_03");
  return { rows, removed, next };
}

async function snippedSession() {
  const { rows, removed, next } = todoSession();
  const client = seedClient();
  const { items } = await readRows(rows.rows);
  const request = { ids: items.map(({ id }) => id) };
  client.request(
    items.map(({ message }) => message),
    request,
  );
  const [first] = turnTags(items);
  const options = { model: client.model, now: client.now };
  expect(snip(client.session, { ids: [first?.tag], reason: "another direction" }, options).isError).toBe(
    false,
  );
  const { messages } = client.request([], request);
  const written = transcriptRows(client.session.ledger.entries(), {
    sessionId: "session-1",
    parentUuid: rows.last ?? "",
    rowsOf: (id) => items.find((item) => item.id === id)?.uuids ?? [],
  });
  return { rows, removed, next, client, messages, written };
}

describe("a snip in a transcript", () => {
  it("is a boundary with the removed rows, all of those that a message was merged from", async () => {
    const { removed, written, rows } = await snippedSession();
    expect(written).toMatchObject([
      {
        type: "system",
        subtype: "snip_boundary",
        parentUuid: rows.last,
        sessionId: "session-1",
        content: "another direction",
        snipMetadata: { removedUuids: removed },
      },
    ]);
  });

  it("is replayed on resume: the turn is out of the window, in the file, and its follower has a parent that is there", async () => {
    const { rows, written, removed, next, messages } = await snippedSession();
    const file = [...rows.rows, ...asRows(written)];
    const later = {
      ...file[0],
      uuid: "later",
      parentUuid: written[0] && "uuid" in written[0] && written[0].uuid,
    };
    const conversation = await readRows([
      ...file,
      { ...later, message: { role: "user", content: "what does the log say?" } },
    ]);
    expect(conversation.items.flatMap(({ uuids }) => uuids)).toEqual(expect.arrayContaining(removed));
    expect(conversation.boundaries).toMatchObject([{ kind: "snip", removedUuids: removed }]);
    const window = windowItems(conversation);
    expect(window.map(({ id }) => id)).toEqual([next, "uuid-9", "uuid-10", "later"]);
    expect(check(window.map(({ message }) => message))).toEqual([]);
    // As the process that snipped has sent it, without the tags that only the sent copy has.
    const sent = JSON.stringify(messages).replaceAll(/\\n\\n?\[id:\w+\]/g, "");
    expect(JSON.stringify(window.slice(0, -1).map(({ message }) => message))).toBe(sent);
    const [first, second] = window;
    expect(first).not.toHaveProperty("parent");
    expect(second?.parent).toBe(next);
  });

  it("links what followed a turn in the middle to what stood before it", async () => {
    const { rows, next } = todoSession();
    const third = rows.user("and now the logout");
    rows.add("system", {
      subtype: "snip_boundary",
      snipMetadata: { removedUuids: [next, "uuid-9", "uuid-10"] },
    });
    const window = windowItems(await readRows(rows.rows));
    expect(window.at(-1)).toMatchObject({ id: third, parent: "uuid-7" });
    expect(check(window.map(({ message }) => message))).toEqual([]);
  });

  it("has no row once it was taken back", async () => {
    const { client } = await snippedSession();
    const made = client.session.ledger.entries().find(({ edit }) => edit.kind === "mark");
    undo(client.session, made?.id ?? "", { model: KEEP_ALL });
    expect(transcriptRows(client.session.ledger.entries(), { sessionId: "s" })).toEqual([]);
  });
});

describe("a collapse in a transcript", () => {
  it("is written in the names that Claude Code uses, and read again as the same spans", async () => {
    const session = memorySession("s", collapsing(seedSettings));
    for (const messages of requestsOf(40)) prepare({ session, model: KEEP_ALL, messages });
    const entries = session.ledger.entries();
    const rows = transcriptRows(entries, { sessionId: "session-1" });
    const types = new Set(rows.map(({ type }) => type));
    expect(types).toEqual(new Set(["marble-origami-commit", "marble-origami-snapshot"]));
    const base = new ClaudeRows();
    base.user("go");
    const { boundaries } = await readRows([...base.rows, ...asRows(rows)]);
    const made = entries.flatMap(({ edit }) => (edit.kind.startsWith("collapse-") ? [edit] : []));
    expect(boundaries).toMatchObject(made);
  });
});
