// The few words of our own in titles and lines, in the languages that users read.
import type { Language } from "../home/index.ts";

export interface Phrases {
  fix(subject: string, message: string): string;
  fixTest(subject: string, message: string): string;
  fails(check: string, what: string): string;
  lookAt(names: readonly string[], more: number): string;
  searchFor(patterns: readonly string[]): string;
  lookUp(query: string): string;
  decided(question: string, answer: string): string;
  /** The same as a title, which may be cut at its end: what was chosen comes first. */
  chosen(question: string, answer: string): string;
  /** The words with which the user chose. */
  chose(reply: string): string;
  /** A cause that nothing has confirmed. */
  suspected(sentence: string): string;
  /** What was taken back later. */
  undone(title: string): string;
  /** What was done, with the words in which it was asked for. */
  askedFor(title: string, request: string): string;
  plan(heading: string): string;
  /** A task that was begun. */
  workOn(task: string): string;
  subagent(task: string): string;
  run(command: string): string;
  edit(files: readonly string[], more: number): string;
  create(files: readonly string[], more: number): string;
  passes(check: string, count: number | undefined): string;
  failedWith(subject: string, message: string, files: readonly string[]): string;
  committed(subject: string, hash: string | undefined): string;
  asked(sentence: string): string;
  open(what: string): string;
  byAgent(step: string): string;
  searched(patterns: readonly string[]): string;
  /** In the place of a title that would tell a model what to do. */
  withheld(tool: string): string;
}

const list = (names: readonly string[], more: number, joined: string, others: (count: number) => string) =>
  `${names.join(joined)}${more > 0 ? others(more) : ""}`;
/** A reason is a program's words, and stands in quotation marks: whatever it says, it says it as a quotation. */
const withReason = (what: string, reason: string, colon: string) =>
  reason === "" ? what : `${what}${colon}“${reason.replace(/[“”]/g, '"').replace(/[.。\s]+$/, "")}”`;

const inEnglish: Phrases = {
  fix: (subject, message) => withReason(`Fix ${subject}`, message, ": "),
  fixTest: (subject, message) => withReason(`Fix failing test ${subject}`, message, ": "),
  fails: (check, what) => withReason(`${check} fails`, what, ": "),
  lookAt: (names, more) => `Look at ${list(names, more, ", ", (count) => ` and ${count} more`)}`,
  searchFor: (patterns) => `Search for ${patterns.map((pattern) => `"${pattern}"`).join(", ")}`,
  lookUp: (query) => `Look up: ${query}`,
  decided: (question, answer) => `${question} → ${answer}`,
  chosen: (question, answer) => `${answer} ← ${question}`,
  chose: (reply) => `The user said: “${reply}”`,
  suspected: (sentence) => `Suspected: ${sentence}`,
  undone: (title) => `Undone: ${title}`,
  askedFor: (title, request) => withReason(title, request, ", asked: "),
  plan: (heading) => `Plan: ${heading}`,
  workOn: (task) => `Work on: ${task}`,
  subagent: (task) => `Subagent: ${task}`,
  run: (command) => `Run ${command}`,
  edit: (files, more) => `Edit ${list(files, more, ", ", (count) => ` and ${count} more`)}`,
  create: (files, more) => `Create ${list(files, more, ", ", (count) => ` and ${count} more`)}`,
  passes: (check, count) => `${check} passes${count === undefined ? "" : ` (${count} passed)`}`,
  failedWith: (subject, message, files) =>
    `${subject} failed${message === "" ? "" : ` with "${message}"`} until ${files.join(", ")} changed`,
  committed: (subject, hash) => `Committed${hash === undefined ? "" : ` ${hash}`}: ${subject}`,
  asked: (sentence) => `The user asked: ${sentence}`,
  open: (what) => `Unresolved: ${what}`,
  byAgent: (step) => `${step} (the agent's words)`,
  searched: (patterns) => `searched for ${patterns.map((pattern) => `"${pattern}"`).join(", ")}`,
  withheld: (tool) => `Text that reads like an instruction${tool === "" ? "" : `, from ${tool}`}`,
};

const inChinese: Phrases = {
  fix: (subject, message) => withReason(`修复 ${subject}`, message, "："),
  fixTest: (subject, message) => withReason(`修复失败的测试 ${subject}`, message, "："),
  fails: (check, what) => withReason(`${check} 失败`, what, "："),
  lookAt: (names, more) => `查看 ${list(names, more, "、", (count) => ` 等另外 ${count} 个文件`)}`,
  searchFor: (patterns) => `搜索 ${patterns.map((pattern) => `“${pattern}”`).join("、")}`,
  lookUp: (query) => `查询：${query}`,
  decided: (question, answer) => `${question} → ${answer}`,
  chosen: (question, answer) => `${answer} ← ${question}`,
  chose: (reply) => `用户的原话：“${reply}”`,
  suspected: (sentence) => `推测：${sentence}`,
  undone: (title) => `已撤销：${title}`,
  askedFor: (title, request) => withReason(title, request, "，请求："),
  plan: (heading) => `计划：${heading}`,
  workOn: (task) => `进行中：${task}`,
  subagent: (task) => `子代理：${task}`,
  run: (command) => `运行 ${command}`,
  edit: (files, more) => `修改 ${list(files, more, "、", (count) => ` 等另外 ${count} 个文件`)}`,
  create: (files, more) => `新建 ${list(files, more, "、", (count) => ` 等另外 ${count} 个文件`)}`,
  passes: (check, count) => `${check} 通过${count === undefined ? "" : `（${count} 项）`}`,
  failedWith: (subject, message, files) =>
    `${subject} 曾失败${message === "" ? "" : `（${message}）`}，修改 ${files.join("、")} 后通过`,
  committed: (subject, hash) => `已提交${hash === undefined ? "" : ` ${hash}`}：${subject}`,
  asked: (sentence) => `用户要求：${sentence}`,
  open: (what) => `未解决：${what}`,
  byAgent: (step) => `${step}（代理原话）`,
  searched: (patterns) => `搜索了 ${patterns.map((pattern) => `“${pattern}”`).join("、")}`,
  withheld: (tool) => `内容像是指令${tool === "" ? "" : `，来自 ${tool}`}`,
};

export const phrasesOf = (language: Language | undefined): Phrases =>
  language === "zh" ? inChinese : inEnglish;
