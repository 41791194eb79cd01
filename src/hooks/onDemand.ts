// Loads rarely needed code from the bundle beside the hook.

export const loadFallback = (): Promise<typeof import("./fallback.ts")> => import("./fallback.ts");
