// Loads what a hook seldom does from the file beside it.

export const onDemand = (): Promise<typeof import("./alone.ts")> => import("./alone.ts");
