// Loads what a hook seldom needs from the files beside it.

export const loadFallback = (): Promise<typeof import("./fallback.ts")> => import("./fallback.ts");

export const loadSnapshotFallback = (): Promise<typeof import("./snapshotFallback.ts")> =>
  import("./snapshotFallback.ts");
