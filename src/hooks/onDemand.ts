// Loads rarely needed code from the bundle beside the hook.

export const loadFallback = () => import("./fallback.ts");

export const loadAgentPayload = () => import("./agentPayload.ts");
