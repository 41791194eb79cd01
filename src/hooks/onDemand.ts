// Loads what a hook seldom needs from the file beside it.

export const loadFallback = (): Promise<typeof import("./fallback.ts")> => import("./fallback.ts");
