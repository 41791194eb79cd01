// Small pieces of work that need something which has left the window: each knows what the right answer is.
import type { Message } from "../../src/messages/index.ts";

/** How what is needed left the window. */
export const ways = ["kept out when it came", "cleared when the cache was cold", "compacted"] as const;

export type Way = (typeof ways)[number];

export interface Task {
  readonly name: string;
  readonly way: Way;
  readonly messages: readonly Message[];
  /** The answer has to hold this. */
  readonly answer: string;
  /** A pattern that finds the line with the answer. */
  readonly pattern: string;
}

interface Fact {
  readonly name: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, string>>;
  /** What the call printed; the fact is somewhere in the middle. */
  text(lines: number): string;
  readonly question: string;
  readonly answer: string;
  readonly pattern: string;
}

const lines = (count: number, line: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => line(at)).join("\n");

const hex = (at: number): string => ((at * 2_654_435_761) >>> 0).toString(16).padStart(8, "0");

const facts: readonly Fact[] = [
  {
    name: "a checksum in a build log",
    tool: "Bash",
    input: { command: "make release" },
    text: (count) =>
      lines(count, (at) => `[${at}] packed module-${at}.tar.gz sha ${hex(at)} in ${at % 90} ms`),
    question: "Which sha was printed for module-137.tar.gz? Answer with the sha alone.",
    answer: hex(137),
    pattern: "module-137\\.",
  },
  {
    name: "a row of a table",
    tool: "Bash",
    input: { command: "cat data/stations.csv" },
    text: (count) =>
      `id,code,depth_cm\n${lines(count, (at) => `${at},ST${hex(at).slice(0, 5)},${(at * 37) % 9_001}`)}`,
    question:
      "Which depth_cm does the station with id 141 have in data/stations.csv? Answer with the number alone.",
    answer: String((141 * 37) % 9_001),
    pattern: "^141,",
  },
  {
    name: "a constant in a file",
    tool: "Read",
    input: { file_path: "/srv/app/src/limits.ts" },
    text: (count) =>
      lines(count, (at) => `${at + 1}\t  tableOf.set("limit_${at}", ${(at * 7_919) % 100_003});`),
    question: "Which number does limits.ts set for limit_152? Answer with the number alone.",
    answer: String((152 * 7_919) % 100_003),
    pattern: '"limit_152"',
  },
  {
    name: "一笔退款的编号",
    tool: "Bash",
    input: { command: "cat 日志/退款.log" },
    text: (count) =>
      lines(count, (at) => `第${at}行 订单 D${1000 + at} 已退款，编号 ${hex(at + 7)}，用时 ${at % 60} 秒`),
    question: "日志里订单 D1146 的退款编号是什么？只回答编号。",
    answer: hex(146 + 7),
    pattern: "D1146 ",
  },
];

function round(id: string, { tool, input }: Pick<Fact, "tool" | "input">, result: string): Message[] {
  return [
    { role: "assistant", content: [{ type: "tool_use", id, name: tool, input }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: result }] },
  ];
}

/** Work on something else, so that what is needed is old. */
function otherWork(count: number): Message[] {
  return Array.from({ length: count }, (_, at) =>
    round(
      `other_${at}`,
      { tool: "Read", input: { file_path: `/srv/app/src/view${at}.ts` } },
      lines(60, (line) => `${line + 1}\texport const view${at}_${line} = render(${line});`),
    ),
  ).flat();
}

/** Enough lines that the result is kept out at once, or that it stays until something else takes it out. */
const LONG = 2_400;
const SHORT = 260;
const OTHERS = 12;

function taskOf(fact: Fact, way: Way): Task {
  const isLong = way === "kept out when it came";
  const count = isLong ? LONG : SHORT;
  return {
    name: fact.name,
    way,
    messages: [
      { role: "user", content: "Please look at this first; we will need it later." },
      ...round("needed", fact, fact.text(count)),
      { role: "assistant", content: [{ type: "text", text: "I have looked at it." }] },
      { role: "user", content: "Now go through the views, one by one." },
      ...otherWork(OTHERS),
      { role: "assistant", content: [{ type: "text", text: "I have been through all of them." }] },
      { role: "user", content: fact.question },
    ],
    answer: fact.answer,
    pattern: fact.pattern,
  };
}

export function liveTasks(): Task[] {
  return ways.flatMap((way) => facts.map((fact) => taskOf(fact, way)));
}
