// A machine's side of the team's server: sends what came about here, takes what came about elsewhere, and shares items.
export { checkRemoteUrl, makeClient } from "./client.ts";
export { exchange } from "./exchange.ts";
export { exchangeMemories } from "./memories.ts";
export { machineWith } from "./origin.ts";
export { type Shared, shareItem } from "./share.ts";
export {
  forgetRemoteKey,
  keepRemoteKey,
  type RemoteState,
  readRemoteState,
  remotePlace,
  writeRemoteState,
} from "./state.ts";
