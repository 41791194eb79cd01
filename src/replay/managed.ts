// Throughline's own policies in replay: the real pipeline, on a session in memory.
import {
  memorySession,
  type PipelineSettings,
  prepare,
  type Session,
  seedSettings,
  thriftySettings,
} from "../pipeline/index.ts";
import { modelTable } from "../tokens/index.ts";
import { type Policy, plainPolicies } from "./policy.ts";

export function managedPolicy(name: string, describe: string, settings: PipelineSettings): Policy {
  return {
    name,
    describe,
    start(recorded, ttl) {
      // Every field is given, so any model of the table can stand in for one that is not in it.
      const known = { like: modelTable[0]?.id ?? "", ...recorded.model };
      const session: Session = memorySession(recorded.name, {
        settings,
        models: { [recorded.model.id]: known },
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

const managedPolicies: readonly Policy[] = [
  managedPolicy("seed", "the five levels with the classic constants", seedSettings),
  managedPolicy("thrifty", "the same levels, timed by cost, with handles", thriftySettings),
];

/** Every policy there is, the baseline first. */
export const policies: readonly Policy[] = [...plainPolicies, ...managedPolicies];
