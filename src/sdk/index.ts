// The entry point for programs that build their own agent.
export {
  type ConversationSize,
  type DueReason,
  dueForUpdate,
  type NotesState,
  type NotesUpdated,
  notesFile,
  notesFolder,
  readNotes,
  readNotesState,
  type SessionNotes,
  updateNotes,
} from "../compact/index.ts";
export { type ErrorCode, ThroughlineError } from "../lib/index.ts";
export {
  type ApproveOutcome,
  approveQuarantined,
  discardMemory,
  type EditOutcome,
  editMemory,
  type Folder,
  listQuarantine,
  type MemoryDetail,
  type MemoryEdit,
  type MemoryInstructionsOptions,
  type MemoryOverview,
  type MemoryPlace,
  type MemoryToolHandlers,
  type MemoryToolOptions,
  memoryInstructions,
  memoryPlace,
  memoryTool,
  memoryTypeDefinitions,
  openFolder,
  type Quarantined,
  type RejectOutcome,
  type RemoveOutcome,
  readRepository,
  rejectQuarantined,
  runMemoryTool,
  type SaveOutcome,
  type SaveRequest,
  saveMemory,
  searchMemories,
  type TypeDefinition,
  takeBack,
  type UndoOutcome,
  viewMemories,
  viewMemory,
} from "../memdir/index.ts";
export type { ClientMessage } from "../pipeline/index.ts";
export {
  type AgentHookCallback,
  type AgentHookContext,
  type AgentHookGroup,
  type AgentHookOutput,
  type AgentHooks,
  type AgentHooksOptions,
  agentHooks,
} from "./agentHooks.ts";
export { type AiMessage, type FromAi, fromModelMessages, toModelMessages } from "./aiSdk/messages.ts";
export {
  type AiModel,
  type AiSpecification,
  aiLanguageModel,
  aiTools,
  type ContextMiddleware,
  contextMiddleware,
} from "./aiSdk/middleware.ts";
export {
  type ArchiveOnCompactOptions,
  archiveOnCompact,
  type PreCompactCallback,
} from "./archiveOnCompact.ts";
export {
  type ClientContext,
  type Context,
  type ContextOptions,
  createContext,
} from "./context/createContext.ts";
export type {
  ContextEvents,
  ContextListener,
  ContextTool,
  ContextToolName,
  ContextWarning,
  MessageOf,
  MessagesClient,
  PreparedRequest,
  RequestLike,
  ResponseLike,
  SearchHandler,
  ToolAnswerBlock,
  ToolCall,
} from "./context/types.ts";
export type { ArchivedConversation, ArchivedMessage } from "./renderedArchive.ts";
