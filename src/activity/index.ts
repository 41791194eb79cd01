// What happened in a conversation: actions, exchanges and state, read once for compaction, notes, snapshots and memory.
export { type Action, actionOf, errorLine, isProse } from "./actions.ts";
export {
  type Activity,
  type FileActivity,
  followActivity,
  inputsIn,
  readActivity,
  type TurnEnd,
} from "./activity.ts";
export { addedWordsHeading, ownSummaryOpening, parseAgentSummary, summaryText } from "./agentSummary.ts";
export { agentWords, type Statement, type SummedUp } from "./agentWords.ts";
export {
  type Fix,
  failureName,
  fixesIn,
  isTestFile,
  looksFailed,
  passedCount,
  stillFailing,
} from "./checks.ts";
export { isPureAcceptance } from "./choices.ts";
export { condensed } from "./condense.ts";
export {
  type KnownFile,
  type KnownLine,
  type KnownPart,
  knownContents,
  knownLines,
} from "./contents.ts";
export { conversationText } from "./conversation.ts";
export { answersIn, optionsChosen, planHeading, takesBack } from "./exchanges.ts";
export { type InvokedSkill, type RunningTask, type SessionState, sessionState } from "./state.ts";
export { type Statements, statementsOf, tasksInForce } from "./statements.ts";
export { planOf, todosOf } from "./tasks.ts";
export { oneLine, openingIn, questionsIn, shortened } from "./text.ts";
export {
  type CapturedEvent,
  callOfEvent,
  callsIn,
  fileOfCall,
  rowOf,
  type ToolCall,
} from "./toolCall.ts";
export {
  condensed as condensedMessage,
  dependent,
  factsIn,
  lacksSubject,
  lastQuestion,
  nextStepsIn,
  type Report,
  reportsIn,
  saysDone,
  suggests,
  topicIn,
  unfinished,
} from "./words.ts";
