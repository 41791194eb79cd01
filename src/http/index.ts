// The HTTP server of the worker: routes, authorisation, live feed, overview, and the page.

export { type ChangeNotifier, makeChangeNotifier } from "./routes/feed.ts";
export { makeMemoryHandlers } from "./routes/memoryHandlers.ts";
export { settingsAccess } from "./routes/settings.ts";
export { type HttpOptions, openHttpServer, signInCodeFrom } from "./server.ts";
export type { SignInCode } from "./signInCodes.ts";
