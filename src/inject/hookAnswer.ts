// What a hook gets as its answer.

/** What a hook is told: what to print, and what to write into its log. */
export interface HookAnswer {
  readonly stdout?: string;
  readonly log?: readonly string[];
}
