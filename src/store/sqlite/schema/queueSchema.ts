// The order of the queue: what is due is found where it stands, however much waits before its time or for another worker.

export const queueOrder = "CREATE INDEX queue_by_time ON queue(kind, state, not_before);";
