// The HTTP server of the worker: routes, authorisation, live feed, overview, and the page.

export { makeChangeNotifier } from "./routes/feed.ts";
export { makeMemoryHandlers } from "./routes/memoryHandlers.ts";
export { settingsAccess } from "./routes/settings.ts";
export { openHttpServer, signInCodeFrom } from "./server.ts";
