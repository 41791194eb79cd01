// The form of a Chinese snapshot: the labels and headings that readers of such files look for, in their order.
import { expect, it } from "vitest";
import { renderSnapshot } from "./render.ts";
import type { SpokenMessage, WorkingState } from "./workingState.ts";

const stated = (...texts: string[]) => texts.map((text) => ({ text, rows: [], at: 0 }));

const state: WorkingState = {
  method: "BMad 6",
  agent: "dev",
  function: "implement story",
  core: { text: "实现Epic 10.14三层记忆存储活动记录", rows: [], at: 0 },
  story: "Epic 10.14",
  files: [
    { path: "canvas_utils.py", action: "edited", gone: false },
    { path: ".claude/agents/graphiti-memory-agent.md", action: "read", gone: false },
    { path: "tests/test_memory_storage.py", action: "written", gone: false },
  ],
  moreFiles: 0,
  next: stated("实现活动记录存储功能", "编写单元测试", "更新文档"),
  decisions: stated("使用Neo4j存储时序数据", "活动类型: decomposition, explanation, scoring, review"),
  failures: [],
  notes: [],
  evidence: [],
  conversation: "user: 在claude code压缩上下文后容易忘记我们在bmad哪一个开发阶段",
};

const said: readonly SpokenMessage[] = Array.from({ length: 20 }, (_, at) => ({
  by: at % 2 === 0 ? ("User" as const) : ("Assistant" as const),
  text: `第${at + 1}轮`,
}));

it("a Chinese snapshot has every label of the template, each with its value", () => {
  const text = renderSnapshot({
    session: "s1",
    at: new Date(2025, 10, 15, 16, 30).getTime(),
    hours: 2,
    language: "zh",
    state,
    said,
    handles: ["tl:0123456789ab"],
    redact: String,
  });
  const lines = text.split("\n");
  const end = lines.indexOf("## 💬 问与答（摘录双方原话）");
  expect(lines.slice(1, end)).toEqual([
    "# 压缩前上下文快照",
    "",
    "**生成时间**: 2025-11-15 16:30:00",
    "**有效期**: 2小时",
    "",
    "---",
    "",
    "## 🤖 当前BMad状态（BMad 6）",
    "",
    "**Active Agent**: dev",
    "**执行功能**: implement story",
    "**核心内容**: 实现Epic 10.14三层记忆存储活动记录",
    "**当前Epic/Story**: Epic 10.14",
    "**分支**: unknown",
    "",
    "**相关文件**:",
    "- canvas_utils.py (已编辑)",
    "- .claude/agents/graphiti-memory-agent.md (已读取)",
    "- tests/test_memory_storage.py (已写入)",
    "",
    "**下一步行动**:",
    "1. 实现活动记录存储功能",
    "2. 编写单元测试",
    "3. 更新文档",
    "",
    "**关键技术决策**:",
    "- 使用Neo4j存储时序数据",
    "- 活动类型: decomposition, explanation, scoring, review",
    "",
    "---",
    "",
  ]);
  const spoken = lines.indexOf("## 📝 最近20轮对话 (完整保留)");
  expect(spoken).toBeGreaterThan(end);
  expect(lines.slice(spoken + 1, spoken + 10)).toEqual([
    "",
    "### Turn 1: User",
    "",
    "第1轮",
    "",
    "### Turn 2: Assistant",
    "",
    "第2轮",
    "",
  ]);
  expect(lines.indexOf("### Turn 20: Assistant")).toBeGreaterThan(spoken);
  expect(lines.slice(lines.indexOf("第20轮"), lines.indexOf("第20轮") + 5)).toEqual([
    "第20轮",
    "",
    "---",
    "",
    "## ⚠️ 使用说明",
  ]);
});
