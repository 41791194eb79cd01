// The gateway for programs that are no agent of ours: events in, context, search and recall out, all of version 1.
export { type Gateway, makeGateway } from "./gateway.ts";
export { openApiDocument } from "./openApi.ts";
export { MOST_EVENTS } from "./schema.ts";
