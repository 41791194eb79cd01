// Throughline's own policies in replay: the real pipeline, on a session in memory.
import {
  memorySession,
  observeResponse,
  type PipelineSettings,
  prepare,
  type Session,
  seedSettings,
  thriftySettings,
  withCollapse,
} from "../pipeline/index.ts";
import { modelTable } from "../tokens/index.ts";
import type { Policy } from "./policy.ts";

function managedPolicy(name: string, describe: string, settings: PipelineSettings): Policy {
  return {
    name,
    describe,
    kind: "ours",
    start(recorded, ttl) {
      // Every field is given, so any model of the table can stand in for one that is not in it.
      const known = { like: modelTable[0]?.id ?? "", ...recorded.model, window: recorded.window };
      const session: Session = memorySession(recorded.name, {
        settings,
        models: { [recorded.model.id]: known },
      });
      session.state.save({ ...session.state.load(), ttl });
      let compactions = 0;
      return {
        view({ history, now }) {
          const prepared = prepare({
            session,
            model: recorded.model.id,
            now,
            overhead: recorded.fixed,
            messages: history.map(({ message }) => message),
            ids: history.map(({ id }) => id),
            provenance: history,
          });
          compactions += prepared.receipt.edits.filter(({ edit }) => edit.kind === "replace-prefix").length;
          return prepared.items;
        },
        observe: ({ input, cacheRead, cacheWrite5m, cacheWrite1h }) => {
          const cache_creation = {
            ephemeral_5m_input_tokens: cacheWrite5m,
            ephemeral_1h_input_tokens: cacheWrite1h,
          };
          const usage = {
            input_tokens: input,
            cache_read_input_tokens: cacheRead,
            cache_creation_input_tokens: cacheWrite5m + cacheWrite1h,
            cache_creation,
          };
          observeResponse({ session, model: recorded.model.id, usage });
        },
        compactions: () => compactions,
      };
    },
  };
}

export const managedPolicies: readonly Policy[] = [
  managedPolicy("seed", "the five levels with the classic constants", seedSettings),
  managedPolicy("thrifty", "the same levels, timed by cost, with handles", thriftySettings),
  managedPolicy(
    "collapse",
    "thrifty with collapse on: early spans go one by one",
    withCollapse(thriftySettings, { enabled: true }),
  ),
];
