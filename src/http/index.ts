// The HTTP server of the worker: routes, authorisation, live feed, overview, and the page.

export { type Bell, makeBell } from "./feed.ts";
export type { Invitation } from "./invitations.ts";
export { makeMemoryDesk } from "./memoryHandlers.ts";
export { type FaceOptions, inviteTo, openFace } from "./openHttp.ts";
export { settingsAccess } from "./settingsAccess.ts";
