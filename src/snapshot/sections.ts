// The words of a snapshot's sections, in both languages.
import type { Language } from "../home/index.ts";

const hoursInWords = (hours: number) => (hours === 1 ? "1 hour" : `${hours} hours`);

const en = {
  title: "Context snapshot from before the compaction",
  generated: "Generated",
  validity: "Valid for",
  hours: hoursInWords,
  state: "Working state",
  methodState: (method: string) => `Working state (${method})`,
  function: "Function",
  core: "Core content",
  current: "Work at the last compaction, in the agent's words",
  byAgent: " (the agent's words)",
  story: "Current epic/story",
  branch: "Branch",
  files: "Related files",
  moreFiles: (count: number) => `and ${count} more`,
  actions: { written: "written", edited: "edited", read: "read", changed: "changed in git" },
  gone: "no longer there",
  next: "Next actions",
  decisions: "Key decisions",
  exchanges: "What was asked and answered (shortened, in the words of both sides)",
  failures: "Failed when it was last run",
  notes: "Remarks",
  conversation: (count: number) => `The last ${count} messages (word for word)`,
  nothingSaid: "Nothing was said yet.",
  usage: "How to use it",
  usageNotes: (hours: number, handles: string) => [
    `This file holds the context from before a compaction. When the conversation goes on within ${hoursInWords(hours)}:`,
    "1. the SessionStart hook finds it and tells the model a digest of it, with this path",
    "2. the model reads it where a detail matters; words in it that hide a secret read [redacted: kind]",
    `3. the exact text of what was compacted: ${handles}`,
    "",
    "Later, or in a new conversation:",
    "1. the SessionStart hook removes this file and the reference in CLAUDE.md",
    "2. its bytes stay in the vault, and `throughline recall` gives them back",
  ],
  unknown: "unknown",
};

export type SectionWords = Readonly<typeof en>;

const zh: SectionWords = {
  title: "压缩前上下文快照",
  generated: "生成时间",
  validity: "有效期",
  hours: (hours) => `${hours}小时`,
  state: "当前工作状态",
  methodState: (method) => `当前BMad状态（${method}）`,
  function: "执行功能",
  core: "核心内容",
  current: "上次压缩时的工作（代理原话）",
  byAgent: "（代理原话）",
  story: "当前Epic/Story",
  branch: "分支",
  files: "相关文件",
  moreFiles: (count) => `另有${count}个`,
  actions: { written: "已写入", edited: "已编辑", read: "已读取", changed: "git中有改动" },
  gone: "已不存在",
  next: "下一步行动",
  decisions: "关键技术决策",
  exchanges: "问与答（摘录双方原话）",
  failures: "最近一次运行失败",
  notes: "备注",
  conversation: (count) => `最近${count}轮对话 (完整保留)`,
  nothingSaid: "尚无对话。",
  usage: "使用说明",
  usageNotes: (hours, handles) => [
    `此文件保存压缩之前的上下文。若在${hours}小时内继续对话：`,
    "1. SessionStart hook会找到它，把摘要和路径告诉模型",
    "2. 需要细节时由模型读取全文；涉密之处写作 [redacted: kind]",
    `3. 被压缩内容的原文: ${handles}`,
    "",
    "若时间已过，或是一段新对话：",
    "1. SessionStart hook会删除此文件和CLAUDE.md中的引用",
    "2. 内容仍在保管库中，可用 `throughline recall` 取回",
  ],
  unknown: "unknown",
};

export const sectionWords: Readonly<Record<Language, SectionWords>> = { en, zh };
