// The events of a context: listeners by name. A listener that throws is reported and stops nothing.
import { errorText } from "../../lib/index.ts";
import type { ContextEvents, ContextListener } from "./types.ts";

export interface ContextEmitter {
  /** Returns a function that removes the listener. */
  on<Name extends keyof ContextEvents>(name: Name, listener: ContextListener<Name>): () => void;
  emit<Name extends keyof ContextEvents>(name: Name, event: ContextEvents[Name]): void;
}

type Listeners = { [Name in keyof ContextEvents]: Set<ContextListener<Name>> };

export function contextEmitter(): ContextEmitter {
  const listeners: Listeners = {
    edit: new Set(),
    compaction: new Set(),
    recall: new Set(),
    receipt: new Set(),
    warning: new Set(),
  };
  const emitter: ContextEmitter = {
    on(name, listener) {
      listeners[name].add(listener);
      return () => void listeners[name].delete(listener);
    },
    emit(name, event) {
      for (const listener of listeners[name]) {
        try {
          listener(event);
        } catch (error) {
          const message = `a listener of ${name} threw: ${errorText(error)}`;
          // A listener of warnings that throws cannot be told of itself.
          if (name !== "warning") emitter.emit("warning", { code: "listener", message });
        }
      }
    },
  };
  return emitter;
}
