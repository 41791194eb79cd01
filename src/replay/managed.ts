// Throughline's own policies in replay: the real pipeline, on a session in memory.
import {
  memorySession,
  type PipelineSettings,
  prepare,
  type Session,
  seedSettings,
  thriftySettings,
} from "../pipeline/index.ts";
import type { Policy } from "./policy.ts";

export function managedPolicy(name: string, describe: string, settings: PipelineSettings): Policy {
  return {
    name,
    describe,
    start(recorded, ttl) {
      const session: Session = memorySession(recorded.name, {
        settings,
        models: { [recorded.model.id]: recorded.model },
      });
      session.state.save({ ...session.state.load(), ttl });
      return {
        view({ history, now }) {
          const prepared = prepare({
            session,
            model: recorded.model.id,
            now,
            messages: history.map(({ message }) => message),
            ids: history.map(({ id }) => id),
            provenance: history,
          });
          return prepared.items;
        },
      };
    },
  };
}

export const managedPolicies: readonly Policy[] = [
  managedPolicy("seed", "the five levels with the classic constants", seedSettings),
  managedPolicy("thrifty", "the same levels, timed by cost, with handles", thriftySettings),
];
