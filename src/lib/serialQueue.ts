// Runs asynchronous tasks one after the other, in the order in which they were added.

export interface SerialQueue {
  /** Resolves or rejects as the task does. A task that fails does not keep the next from running. */
  run<T>(task: () => Promise<T> | T): Promise<T>;
  /** Resolves when every task that was added so far has ended. */
  idle(): Promise<void>;
}

export function serialQueue(): SerialQueue {
  let last: Promise<void> = Promise.resolve();
  return {
    run(task) {
      const result = last.then(task);
      last = result.then(
        () => undefined,
        () => undefined,
      );
      return result;
    },
    idle: () => last,
  };
}
