// A carrier against a worker that is there, lost its rows, is late or is gone: what is asked, and what is sent.
import { describe, expect, it } from "vitest";
import {
  type CarrierSeam,
  LiveCarrier,
  type PlanAnswer,
  type PlanQuestion,
  type RequestFacts,
} from "../../src/live/index.ts";

const facts: RequestFacts = { kind: "main", session: "s-1", project: "/work/app" };

const message = (text: string) => ({ role: "user", content: text });
const bodyOf = (...texts: string[]) =>
  JSON.stringify({ model: "claude-opus-5-5", messages: texts.map(message), system: "be brief" });

interface Told {
  readonly asked: PlanQuestion[];
  readonly observed: unknown[];
  readonly seam: CarrierSeam;
}

function seamOf(answer: (question: PlanQuestion) => PlanAnswer | undefined, record?: string): Told {
  const asked: PlanQuestion[] = [];
  const observed: unknown[] = [];
  const seam: CarrierSeam = {
    ask: async (_op, question) => {
      asked.push(question);
      return answer(question);
    },
    tell: (_op, { version, usage }) => void observed.push({ version, usage }),
    record: async () => record,
    summarise: async () => "words of the model",
    say: () => undefined,
  };
  return { asked, observed, seam };
}

const unchanged = (): PlanAnswer => ({ kind: "unchanged", version: 0 });

/** Replaces the first row of the conversation that the question is about. */
const replacesFirst = ({ base, rows }: PlanQuestion, chain: string): PlanAnswer | undefined =>
  base.count === 0 && rows.length > 0
    ? {
        kind: "edits",
        change: {
          version: 1,
          from: 0,
          edits: [
            {
              kind: "blocks",
              at: 0,
              blocks: { 0: '{"type":"text","text":"cut"}' },
              guard: { row: 0, chain },
            },
          ],
        },
      }
    : unchanged();

/** The chain at the first row, as the carrier names it with the next question. */
async function chainOfFirst(text: string): Promise<string> {
  const { asked, seam } = seamOf(unchanged);
  const carrier = new LiveCarrier("mod", seam);
  await carrier.edited(bodyOf(text), facts);
  await carrier.edited(bodyOf(text, "next"), facts);
  return asked[1]?.base.chain ?? "";
}

describe("a carrier", () => {
  it("sends rows and fixed parts once, and what came where nothing is edited", async () => {
    const { asked, seam } = seamOf(unchanged);
    const carrier = new LiveCarrier("mod", seam);
    expect((await carrier.edited(bodyOf("one"), facts)).text).toBe(bodyOf("one"));
    await carrier.edited(bodyOf("one", "two", "three"), facts);
    // The conversation went another way.
    await carrier.edited(bodyOf("one", "other"), facts);
    expect(asked.map(({ base, rows, fixed }) => [base.count, rows.length, fixed !== undefined])).toEqual([
      [0, 1, true],
      [1, 2, false],
      [1, 1, false],
    ]);
    expect(asked[0]?.fixed?.system).toBe('"be brief"');
  });

  it("sends all rows again to a worker that has lost them", async () => {
    let isLost = false;
    const { asked, seam } = seamOf(({ base }) =>
      isLost && base.count > 0 ? { kind: "rows-wanted", count: 0, chain: "", fixed: true } : unchanged(),
    );
    const carrier = new LiveCarrier("mod", seam);
    await carrier.edited(bodyOf("one"), facts);
    isLost = true;
    await carrier.edited(bodyOf("one", "two"), facts);
    expect(asked.map(({ base, rows, fixed }) => [base.count, rows.length, fixed !== undefined])).toEqual([
      [0, 1, true],
      [1, 1, false],
      [0, 2, true],
    ]);
  });

  it("keeps the edits in force when the worker is gone, and takes them from the disk in a new process", async () => {
    const chain = await chainOfFirst("one");
    let isGone = false;
    const { observed, seam } = seamOf((question) => (isGone ? undefined : replacesFirst(question, chain)));
    const carrier = new LiveCarrier("mod", seam);
    const cut = JSON.stringify([{ role: "user", content: [{ type: "text", text: "cut" }] }]);
    expect((await carrier.edited(bodyOf("one"), facts)).text).toContain(cut);
    carrier.observe(facts, { model: "claude-opus-5-5", usage: { input_tokens: 7 } });
    expect(observed).toEqual([{ version: 1, usage: { input_tokens: 7 } }]);
    isGone = true;
    const after = await carrier.edited(bodyOf("one", "two"), facts);
    expect(after).toMatchObject({ version: 1, made: 1 });
    expect(JSON.parse(after.text).messages).toEqual([...JSON.parse(cut), message("two")]);
    const answer = replacesFirst(
      { base: { count: 0, chain: "" }, rows: ["x"] } as unknown as PlanQuestion,
      chain,
    );
    const line = JSON.stringify(answer?.kind === "edits" ? answer.change : {});
    const later = new LiveCarrier("proxy", seamOf(() => undefined, `${line}\n{"torn`).seam);
    expect((await later.edited(bodyOf("one", "two"), facts)).text).toBe(after.text);
    // Another branch has none of these rows.
    expect((await later.edited(bodyOf("uno", "two"), facts)).text).toBe(bodyOf("uno", "two"));
  });

  it("has the session's model write a summary that the worker asks for", async () => {
    const { asked, seam } = seamOf(({ summary }) =>
      summary === undefined
        ? { kind: "summary-wanted", id: "q1", prompt: "summarise", messages: [], maxTokens: 100 }
        : unchanged(),
    );
    await new LiveCarrier("mod", seam).edited(bodyOf("one"), facts);
    expect(asked.map(({ summary }) => summary)).toEqual([
      undefined,
      { id: "q1", text: "words of the model" },
    ]);
  });

  it("leaves counts, questions on the side and what it cannot read as they came", async () => {
    const { asked, seam } = seamOf(unchanged);
    const carrier = new LiveCarrier("mod", seam);
    for (const kind of ["count", "side"] as const)
      expect((await carrier.edited(bodyOf("one"), { ...facts, kind })).text).toBe(bodyOf("one"));
    for (const text of ["", "not JSON", '{"messages":[1]}', '{"messages":[{"role":"user"}]}'])
      expect((await carrier.edited(text, facts)).text).toBe(text);
    expect(asked).toEqual([]);
  });

  it("sends the last messages and the new ones where an edit cannot be applied and the request is too large", async () => {
    const chain = await chainOfFirst("one");
    const broken: PlanAnswer = {
      kind: "edits",
      change: {
        version: 2,
        from: 0,
        edits: [{ kind: "blocks", at: 0, blocks: { 7: null }, guard: { row: 0, chain } }],
      },
    };
    let answers: PlanAnswer = { kind: "unchanged", version: 0 };
    const { seam } = seamOf(() => answers);
    const carrier = new LiveCarrier("mod", seam);
    const large = "x".repeat(700_000);
    await carrier.edited(bodyOf("one"), facts);
    answers = broken;
    expect((await carrier.edited(bodyOf("one", "two"), facts)).text).toBe(bodyOf("one", "two"));
    expect((await carrier.edited(bodyOf("one", "two", large), facts)).text).toBe(bodyOf("one", "two", large));
  });
});
