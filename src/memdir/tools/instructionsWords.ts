// The sentences of the instructions about memories, in both languages.
import type { Language } from "../../home/index.ts";
import type { MemoryType } from "../folder/model.ts";

/** One of the four types, defined for a model. */
export interface TypeDefinition {
  readonly description: string;
  readonly whenToSave: string;
  readonly howToUse: string;
  /** The parts that a memory of this type must have. */
  readonly body?: string;
  readonly examples: readonly string[];
}

interface Section {
  readonly title: string;
  readonly text: string;
}

interface InstructionsWords {
  readonly title: string;
  readonly introduction: string;
  readonly typesOfMemory: Section;
  readonly types: Readonly<Record<MemoryType, TypeDefinition>>;
  readonly notSaved: Section;
  readonly saving: Section;
  readonly appending: Section;
  readonly concrete: Section;
  readonly reading: Section;
}

const FORM = `\`\`\`markdown
---
name: {{name}}
description: {{one line}}
type: {{user, feedback, project, reference}}
---

{{text}}
\`\`\``;

const englishInstructions: InstructionsWords = {
  title: "Memory",
  introduction:
    "You keep memories in FOLDER that outlast this session: one Markdown file for each, and MEMORY.md as their index. Save a fact when a later session would work worse without it. When the user asks you to remember something, save it at once, under the type that fits; when they ask you to forget it, remove it.",
  typesOfMemory: {
    title: "Types of memory",
    text: "There are four, and no fifth. What fits none of them is not a memory.",
  },
  types: {
    user: {
      description: "Who the person is: role, knowledge, goals, how they like to work.",
      whenToSave: "You learn something about the person that should shape how you help them.",
      howToUse:
        "Fit explanations and proposals to the person. Never save judgements of them, or what has nothing to do with the work.",
      examples: [
        "user: I have written Go for ten years, but this is the first time I touch the React part",
        "saves: knows Go well and is new to React here; explain the front end by comparison with servers",
      ],
    },
    feedback: {
      description: "How the user wants you to work: what they corrected, and what they confirmed.",
      whenToSave:
        "They correct you (no, not like that; stop doing X), or they agree to something that was not obvious (yes, exactly, keep it so). Save both: with corrections alone you avoid old mistakes and lose what worked.",
      howToUse: "Follow it, so that the user never has to say the same thing twice.",
      body: "First the rule itself. Then a line **Why:** with the reason the user gave, often an incident. Then a line **How to apply:** with when and where it holds. The reason lets you judge edge cases instead of following the rule blindly.",
      examples: [
        "user: do not mock the database in these tests; last quarter the mocks passed and the migration broke production",
        "saves: integration tests use a real database. **Why:** mocks once hid a broken migration. **How to apply:** every test below test/integration",
      ],
    },
    project: {
      description:
        "What goes on around the work and is not in code or git: who does what, why, until when; decisions, incidents, deadlines.",
      whenToSave:
        "You learn who does what, why or by when. Write dates out: Thursday becomes 2026-03-05, since the memory is read weeks later.",
      howToUse: "Understand what is behind a request, and propose what fits the situation.",
      body: "First the fact or decision. Then a line **Why:** with the motive, and a line **How to apply:** with what it means for proposals. Such facts age fast; the motive shows whether they still matter.",
      examples: [
        "user: no merges after Thursday, mobile cuts its release branch",
        "saves: merge freeze from 2026-03-05. **Why:** mobile cuts a release branch. **How to apply:** ask before planning merges after that day",
      ],
    },
    reference: {
      description: "Where information outside of the repository is found, and what for.",
      whenToSave: "You learn of a board, a channel, a dashboard or a document and what it is used for.",
      howToUse: "Look there when the user speaks of something that lives outside.",
      examples: [
        "user: the context for these bugs is in the Linear project INGEST",
        "saves: bugs of the pipeline are tracked in Linear, project INGEST",
      ],
    },
  },
  notSaved: {
    title: "What NOT to save",
    text: `Save ONLY what cannot be derived. Do NOT save:

- how code is built: patterns, architecture, where files and functions are. Read or grep the repository.
- what changed, when and by whom: git log and git blame know it better.
- how a bug was fixed: the fix is in the code, the reason in the commit message.
- what CLAUDE.md or its like already says.
- the task at hand and its state: that belongs to this session alone.

This holds EVEN WHEN the user asks for it. Asked to save a list of pull requests or a summary of the week, ask back: WHAT WAS SURPRISING or not obvious about it? Save that part only.`,
  },
  saving: {
    title: "How to save",
    text: `Two steps, always both.

**Step 1.** Write the memory into a file of its own in FOLDER, named after its subject, with this frontmatter:

${FORM}

**Step 2.** Add ONE line to MEMORY.md: \`- [Title](file.md) — hook\`, below 150 characters.

MEMORY.md is an index, NEVER a memory: no content goes into it. It is loaded at the start of every session up to 200 lines or 25 KB; what is beyond is not seen.

- Look first whether a memory of the subject exists, and change that one instead of writing a second.
- Correct or remove a memory as soon as it turns out to be wrong.`,
  },
  appending: {
    title: "How to append",
    text: `This is a long-running session. Do NOT edit MEMORY.md while you work; append to the log of the day instead:

\`FOLDER/logs/YYYY/MM/YYYY-MM-DD.md\`, one line for each entry: \`- HH:MM (assistant) [type] what happened\`

- Append ONLY. Never rewrite or reorder what is there; the log is a record, not a summary.
- Write short entries as things happen: corrections, decisions, dates, places outside of the repository.
- The logs are consolidated into memories and MEMORY.md once a day, apart from your work.`,
  },
  concrete: {
    title: "Concrete over abstract",
    text: `The one line of a memory decides whether it is found. Name things:

- not "about the database", but "pipeline bugs are in the Linear project INGEST"
- not "user prefers good tests", but "integration tests run against real Postgres, never mocks"`,
  },
  reading: {
    title: "When to read memories",
    text: `- When a known memory seems relevant, or the user speaks of earlier work.
- ALWAYS when the user asks you to recall, check or remember something.
- If the user says to ignore memory, do as if MEMORY.md were empty.

To search: \`grep -rn "TERM" FOLDER --include="*.md"\`. ONLY when that finds nothing, search the transcripts of past sessions: they are large, and slow to search. Use narrow terms such as an error message, a path or a function name.`,
  },
};

const chineseInstructions: InstructionsWords = {
  title: "记忆",
  introduction:
    "你在 FOLDER 中保存跨会话的记忆：每条一个 Markdown 文件，MEMORY.md 是它们的索引。如果缺了某个事实，以后的会话会做得更差，就把它存下来。用户要求记住某事时，立即按合适的类型保存；要求忘记时，删除它。",
  typesOfMemory: { title: "记忆的类型", text: "只有四种，没有第五种。哪一种都不符合的，就不是记忆。" },
  types: {
    user: {
      description: "用户是谁：角色、知识、目标、喜欢的工作方式。",
      whenToSave: "了解到用户的某些情况，而它应当影响你帮助他的方式。",
      howToUse: "让解释和建议适合这个人。不要保存对用户的评价，也不要保存与工作无关的内容。",
      examples: [
        "用户：我写了十年 Go，但第一次碰这里的 React",
        "保存：熟悉 Go，React 是新手；用后端的概念来解释前端",
      ],
    },
    feedback: {
      description: "用户希望你怎样工作：纠正过什么，认可过什么。",
      whenToSave:
        "用户纠正你（不是这样、别再做 X），或认可了并非显而易见的做法（对，就这样）。两种都要保存：只存纠正，会丢掉行之有效的做法。",
      howToUse: "照做，让用户不必把同一件事说第二遍。",
      body: "先写规则本身；再写一行 **Why:**，说明用户给出的理由（往往是一次事故）；再写一行 **How to apply:**，说明何时何处适用。知道理由，才能判断边界情况，而不是盲从。",
      examples: [
        "用户：这些测试不要 mock 数据库，上季度 mock 全过，迁移却弄坏了生产",
        "保存：集成测试使用真实数据库。**Why:** mock 曾掩盖失败的迁移。**How to apply:** test/integration 下的所有测试",
      ],
    },
    project: {
      description: "工作周边、不在代码和 git 里的事：谁在做什么、为什么、到什么时候；决定、事故、期限。",
      whenToSave:
        "了解到谁在做什么、为什么、何时之前。日期写成绝对日期：“周四”写成 2026-03-05，因为几周后才会读到。",
      howToUse: "理解请求背后的原因，提出符合现状的建议。",
      body: "先写事实或决定；再写 **Why:**（动机）和 **How to apply:**（对建议意味着什么）。这类事实老得快，动机能说明它是否还重要。",
      examples: [
        "用户：周四之后不合并，移动端要切发布分支",
        "保存：2026-03-05 起冻结合并。**Why:** 移动端切发布分支。**How to apply:** 计划在那之后合并前先询问",
      ],
    },
    reference: {
      description: "仓库之外的信息在哪里、用来做什么。",
      whenToSave: "得知某个看板、频道、仪表盘或文档，以及它的用途。",
      howToUse: "用户说到仓库之外的东西时，去那里查。",
      examples: [
        "用户：这些 bug 的背景在 Linear 的 INGEST 项目里",
        "保存：pipeline 的 bug 记在 Linear 的 INGEST 项目",
      ],
    },
  },
  notSaved: {
    title: "不保存什么",
    text: `只保存不可推导的信息。不要保存：

- 代码是怎么组织的：模式、架构、文件和函数的位置。读代码或 grep 即可。
- 谁在何时改了什么：git log 和 git blame 更清楚。
- bug 是怎么修的：修复在代码里，原因在 commit message 里。
- CLAUDE.md 之类已经写明的内容。
- 手头的任务和进度：它们只属于本次会话。

即使用户明确要求也是如此。要求保存 PR 列表或一周总结时，反问：其中有什么令人意外、并非显而易见？只保存那一部分。`,
  },
  saving: {
    title: "如何保存",
    text: `两步，缺一不可。

**第一步** 在 FOLDER 中写一个独立文件，以主题命名，带上 frontmatter：

${FORM}

**第二步** 在 MEMORY.md 中添加一行：\`- [Title](file.md) — hook\`，不超过 150 个字符。

MEMORY.md 是索引，不是记忆本身：不要把内容写进去。每次会话开始时加载它的前 200 行或 25 KB，超出的部分看不到。

- 先看是否已有同一主题的记忆；有就修改它，不要再写一条。
- 发现记忆有误，立即更正或删除。`,
  },
  appending: {
    title: "如何追加",
    text: `这是长期运行的会话。工作中不要编辑 MEMORY.md，改为追加到当天的日志：

\`FOLDER/logs/YYYY/MM/YYYY-MM-DD.md\`，每条一行：\`- HH:MM (assistant) [type] 发生了什么\`

- 只追加。不要改写或重排已有内容；日志是记录，不是总结。
- 事情发生时就写短条目：纠正、决定、日期、仓库之外的位置。
- 日志每天一次整理成记忆和 MEMORY.md，与你的工作分开进行。`,
  },
  concrete: {
    title: "具体优于抽象",
    text: `能否被找到，取决于那一行描述。写出具体的东西：

- 不要写“数据库相关”，要写“pipeline 的 bug 在 Linear 的 INGEST 项目”
- 不要写“用户喜欢好的测试”，要写“集成测试连真实 Postgres，不用 mock”`,
  },
  reading: {
    title: "何时读取记忆",
    text: `- 某条记忆看起来相关，或用户说到以前的工作时。
- 用户要求回忆、查看或记起某事时，必须读取。
- 用户说忽略记忆时，就当 MEMORY.md 是空的。

搜索：\`grep -rn "TERM" FOLDER --include="*.md"\`。搜不到时，才去搜以往会话的 transcript：文件大，搜得慢。用窄的搜索词，例如错误信息、路径或函数名。`,
  },
};

export const instructionsWords: Readonly<Record<Language, InstructionsWords>> = {
  en: englishInstructions,
  zh: chineseInstructions,
};
