// The HTTP server of the worker: routes, authorisation, live feed, overview, and the page.

export { type ChangeNotifier as Bell, makeChangeNotifier } from "./feed.ts";
export type { SignInCode as Invitation } from "./signInCodes.ts";
export { makeMemoryHandlers } from "./routes/memoryHandlers.ts";
export { type HttpOptions as FaceOptions, openHttpServer, signInCodeFrom } from "./openHttpServer.ts";
export { settingsAccess } from "./routes/settings.ts";
