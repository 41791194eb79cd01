// The library's front: what every program that embeds Throughline needs, whichever part it uses.

export { type Home, resolveHome, vaultFolder } from "./home/index.ts";
export { type ErrorCode, errorCodes, ThroughlineError } from "./lib/index.ts";
export { toolPairs } from "./messages/index.ts";
export { type Conversation, readConversation } from "./transcript/index.ts";
export { openVault, type Recalled, recall, type Selection, type Vault } from "./vault/index.ts";
