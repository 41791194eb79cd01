// The HTTP server of the worker: routes, authorisation, live feed, overview, and the page.

export { type ChangeNotifier as Bell, makeChangeNotifier } from "./feed.ts";
export type { SignInCode as Invitation } from "./invitations.ts";
export { makeMemoryHandlers } from "./memoryHandlers.ts";
export { type HttpOptions as FaceOptions, openHttpServer, signInCodeFrom } from "./openHttp.ts";
export { settingsAccess } from "./settingsAccess.ts";
