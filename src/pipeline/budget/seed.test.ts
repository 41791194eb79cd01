// Level 1 under `seed`: the limits to the character, what is exempt, and that a decision holds once it was sent.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import {
  Client,
  call,
  disk,
  image,
  result,
  resultBlock,
  seedClient,
  shownOf,
  user,
} from "../../../test/fixtures/pipeline/client.ts";
import type { Block } from "../../messages/index.ts";
import { isPersisted } from "../../preview/index.ts";
import { recall } from "../../vault/index.ts";
import { type PipelineSettings, seedSettings } from "../settings.ts";

const folder = disk();
const LIMIT = 50_000;

const withBudget = (changes: Partial<PipelineSettings["budget"]>): PipelineSettings => ({
  ...seedSettings,
  budget: { ...seedSettings.budget, ...changes },
});

/** Calls of one assistant message with these ids. */
const calls = (ids: readonly string[], name = "Bash") => ({
  role: "assistant" as const,
  content: ids.map((id): Block => ({ type: "tool_use", id, name, input: {} })),
});

describe("a single result", () => {
  it("of 500 KB becomes the reference, and the file holds all of it as plain text", () => {
    const line = "2026-01-01 12:00:00 服务 started\n";
    expect(Buffer.byteLength(line)).toBe(35);
    const log = line.repeat(15_000);
    expect(Buffer.byteLength(log)).toBeGreaterThan(500_000);
    const client = new Client(folder.open("log"));
    const { messages, receipt } = client.send(
      user("cat huge.log"),
      call("toolu_abc", "Bash"),
      result("toolu_abc", log),
    );
    const file = path.join(folder.folder, "log", "tool-results", "toolu_abc.txt");
    expect(shownOf(messages, "toolu_abc")).toBe(
      `<persisted-output>\nOutput too large (${log.length} chars). Full output saved to: ${file}\n\n` +
        `Preview (first 2 KB):\n${line.repeat(58)}${line.slice(0, 2_048 - 58 * 35)}\n</persisted-output>`,
    );
    expect(readFileSync(file, "utf8")).toBe(log);
    const handle = receipt.edits.find(({ level }) => level === "budget")?.handles?.[0] ?? "";
    expect(recall(client.session.vault, handle).text).toBe(log);
    expect(recall(client.session.vault, "toolu_abc").text).toBe(log);
  });

  it("of 50,000 characters stays, of 50,001 does not", () => {
    for (const [size, persisted] of [
      [LIMIT, false],
      [LIMIT + 1, true],
    ] as const) {
      const { messages } = seedClient().send(user("go"), call("t1", "Read"), result("t1", "x".repeat(size)));
      expect(isPersisted(shownOf(messages, "t1"))).toBe(persisted);
    }
  });

  it("is counted in characters, not in bytes or tokens", () => {
    const { messages } = seedClient().send(user("go"), call("t1", "Read"), result("t1", "日".repeat(LIMIT)));
    expect(isPersisted(shownOf(messages, "t1"))).toBe(false);
  });

  it("that is a reference already is never wrapped again", () => {
    const reference = `<persisted-output>\nOutput too large.\n${"x".repeat(LIMIT * 2)}\n</persisted-output>`;
    const { messages, receipt } = seedClient().send(user("go"), call("t1", "Bash"), result("t1", reference));
    expect(shownOf(messages, "t1")).toBe(reference);
    expect(receipt.edits.filter(({ level }) => level === "budget")).toEqual([]);
  });

  it("of an exempt tool stays whatever its size", () => {
    for (const name of ["recall", "mcp__throughline__recall", "mcp__plugin_throughline_tools__recall"]) {
      const { messages } = seedClient().send(
        user("go"),
        call("t1", name),
        result("t1", "x".repeat(LIMIT * 2)),
      );
      expect(isPersisted(shownOf(messages, "t1"))).toBe(false);
    }
  });

  it("that failed keeps its flag", () => {
    const { messages } = seedClient().send(
      user("go"),
      call("t1", "Bash"),
      result("t1", "x".repeat(LIMIT + 1), { is_error: true }),
    );
    expect(messages.at(-1)?.content).toMatchObject([
      { type: "tool_result", is_error: true, content: expect.stringMatching(/^<persisted-output>/) },
    ]);
  });

  it("keeps its images, in their places", () => {
    const content = [image, { type: "text", text: "x".repeat(LIMIT + 1) }, image];
    const client = seedClient();
    const { messages } = client.send(user("go"), call("t1", "Read"), result("t1", content));
    expect(messages.at(-1)?.content).toEqual([
      {
        type: "tool_result",
        tool_use_id: "t1",
        content: [image, { type: "text", text: expect.stringMatching(/^<persisted-output>/) }, image],
      },
    ]);
    expect(recall(client.session.vault, "t1").text).toBe("x".repeat(LIMIT + 1));
  });

  it("gets a file inside the folder whatever its id says", () => {
    const client = new Client(folder.open("escape"));
    const text = "x".repeat(LIMIT + 1);
    const { messages } = client.send(user("go"), call("../../x", "Bash"), result("../../x", text));
    const file = /saved to: (.*)/.exec(shownOf(messages, "../../x"))?.[1] ?? "";
    expect(path.dirname(file)).toBe(path.join(folder.folder, "escape", "tool-results"));
    expect(readFileSync(file, "utf8")).toBe(text);
    expect(existsSync(path.join(folder.folder, "x.txt"))).toBe(false);
  });
});

describe("all results of one message", () => {
  const shownKinds = (
    sizes: readonly number[],
    send: (client: Client, ids: string[]) => Block[][],
  ): boolean[] => {
    const client = seedClient();
    const ids = sizes.map((_, at) => `t${at}`);
    const added = send(client, ids).map((content) => user(content));
    const { messages } = client.send(user("go"), calls(ids), ...added);
    return ids.map((id) => isPersisted(shownOf(messages, id)));
  };
  const text = (size: number): string => "y".repeat(size);
  const asOne =
    (sizes: readonly number[]) =>
    (_: Client, ids: string[]): Block[][] => [ids.map((id, at) => resultBlock(id, text(sizes[at] ?? 0)))];

  it("stay while they come to 200,000 characters together", () => {
    const sizes = [50_000, 50_000, 50_000, 50_000];
    expect(shownKinds(sizes, asOne(sizes))).toEqual([false, false, false, false]);
  });

  it("lose the largest first, and no more than needed", () => {
    const sizes = [40_000, 49_000, 40_000, 50_000, 40_000];
    expect(shownKinds(sizes, asOne(sizes))).toEqual([false, false, false, true, false]);
    const more = [41_000, 49_000, 40_000, 50_000, 40_000, 40_000];
    expect(shownKinds(more, asOne(more))).toEqual([false, true, false, true, false, false]);
  });

  it("count together when parallel calls answer in messages of their own", () => {
    const sizes = [50_000, 45_000, 45_000, 45_000, 45_000];
    const apart = (_: Client, ids: string[]): Block[][] =>
      ids.map((id, at) => [resultBlock(id, text(sizes[at] ?? 0))]);
    expect(shownKinds(sizes, apart)).toEqual([true, false, false, false, false]);
  });

  it("count what stays in any case", () => {
    const client = seedClient();
    const { messages } = client.send(
      user("go"),
      {
        role: "assistant",
        content: [
          { type: "tool_use", id: "own", name: "recall", input: {} },
          { type: "tool_use", id: "small", name: "Bash", input: {} },
        ],
      },
      user([resultBlock("own", text(190_000)), resultBlock("small", text(20_000))]),
    );
    expect(isPersisted(shownOf(messages, "own"))).toBe(false);
    expect(isPersisted(shownOf(messages, "small"))).toBe(true);
  });
});

describe("a decision that was sent", () => {
  const big = "z".repeat(LIMIT + 1);
  const begin = [user("go"), call("t1", "Bash"), result("t1", big)];
  const goOn = [call("t2", "Bash"), result("t2", "ok")];

  it("holds when the limits change later", () => {
    const client = new Client(folder.open("frozen"));
    const first = client.send(...begin);
    const later = new Client(folder.open("frozen", withBudget({ resultLimit: 1_000_000 })));
    const second = later.send(...begin, ...goOn);
    expect(second.messages.slice(0, 3)).toEqual(first.messages);
  });

  it("holds for what was sent whole, too", () => {
    const client = new Client(folder.open("raw", withBudget({ resultLimit: 1_000_000 })));
    const first = client.send(...begin);
    expect(shownOf(first.messages, "t1")).toBe(big);
    const strict = withBudget({ resultLimit: 1_000, messageLimit: 1_000 });
    const later = new Client(folder.open("raw", strict));
    expect(shownOf(later.send(...begin, ...goOn).messages, "t1")).toBe(big);
  });

  it("is the same after a restart, to the byte", () => {
    const client = new Client(folder.open("resume"));
    client.send(...begin);
    const before = client.send(...goOn);
    const resumed = new Client(folder.open("resume")).send(...begin, ...goOn);
    expect(JSON.stringify(resumed.messages)).toBe(JSON.stringify(before.messages));
    expect(resumed.receipt.edits).toEqual([]);
  });

  it("is not made again for a request that is repeated", () => {
    const client = seedClient();
    const first = client.send(...begin);
    const again = client.send();
    expect(again.messages).toEqual(first.messages);
    expect(again.receipt.edits).toEqual([]);
  });
});
