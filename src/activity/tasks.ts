// The list of tasks and the plan as they stand at the end of a conversation.
import { isObject } from "../lib/index.ts";
import { type ToolPair, textOf } from "../messages/index.ts";
import { inputOf, outcomeOf, textField } from "./calls.ts";
import type { Activity, Todo } from "./model.ts";

/** Written as a whole by one tool, or task by task by two others; the latest word counts. */
export function todosOf(pairs: readonly ToolPair[]): Todo[] {
  const tasks = new Map<string, Todo>();
  for (const pair of pairs) {
    const { todos, status } = inputOf(pair);
    if (pair.name === "TodoWrite" && Array.isArray(todos)) {
      tasks.clear();
      readList(todos).forEach((todo, index) => {
        tasks.set(`list ${index}`, todo);
      });
    } else if (pair.name === "TaskCreate" && outcomeOf(pair) === "ok") {
      const text = textField(pair, "subject", "description");
      if (text) tasks.set(numberIn(pair) ?? `call ${pair.id}`, { text, status: "pending" });
    } else if (pair.name === "TaskUpdate" && outcomeOf(pair) === "ok") {
      const id = textField(pair, "taskId") ?? "";
      const known = tasks.get(id);
      if (!known) continue;
      if (status === "deleted") tasks.delete(id);
      else
        tasks.set(id, {
          text: textField(pair, "subject") ?? known.text,
          status: status === undefined ? known.status : statusOf(status),
        });
    }
  }
  return [...tasks.values()];
}

function readList(todos: readonly unknown[]): Todo[] {
  return todos.flatMap((todo) =>
    isObject(todo) && typeof todo.content === "string"
      ? [{ text: todo.content, status: statusOf(todo.status) }]
      : [],
  );
}

const statusOf = (status: unknown): Todo["status"] =>
  status === "completed" || status === "in_progress" ? status : "pending";

/** The number that a new task was given is only in the answer. */
function numberIn(pair: ToolPair): string | undefined {
  return /^Task #(\S+) created/.exec(textOf(pair.result?.content))?.[1];
}

/** The plan that was last put before the user, approved or not. */
export function planOf(pairs: readonly ToolPair[]): Activity["plan"] {
  const last = pairs.findLast(
    (pair) => pair.name === "ExitPlanMode" && textField(pair, "plan") !== undefined,
  );
  const text = last && textField(last, "plan");
  return last && text ? { at: last.useAt.item, text, approved: outcomeOf(last) === "ok" } : undefined;
}
