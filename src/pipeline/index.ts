// The window flow: what the model sees next.
export type { History, HistoryItem, Message } from "../messages/index.ts";
