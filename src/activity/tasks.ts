// The task list and the plan of a session, as the calls that write them leave them.
import { isObject } from "../lib/index.ts";
import { type ToolCall, textField } from "./toolCall.ts";

export interface Todo {
  readonly text: string;
  readonly status: "pending" | "in_progress" | "completed";
  /** Where the list last spoke of it: index of the message, and its row. */
  readonly at: number;
  readonly row: string;
}

export interface Plan {
  readonly at: number;
  readonly row: string;
  readonly text: string;
  readonly approved: boolean;
}

/** Calls that write the plan or the task list. */
export const writesLists = ({ name }: ToolCall): boolean =>
  name === "ExitPlanMode" || /^(?:Todo|Task)[A-Z]/.test(name);

/** Written as a whole by one tool, or task by task by two others; the latest word counts. */
export function todosOf(calls: readonly ToolCall[]): Todo[] {
  const tasks = new Map<string, Todo>();
  for (const call of calls) {
    const { name, input, outcome, at, row } = call;
    if (name === "TodoWrite" && Array.isArray(input.todos)) {
      tasks.clear();
      readList(input.todos).forEach((todo, index) => {
        tasks.set(`list ${index}`, { ...todo, at, row });
      });
    } else if (name === "TaskCreate" && outcome === "ok") {
      const text = textField(call, "subject", "description");
      if (text) tasks.set(numberIn(call) ?? `call ${call.id}`, { text, status: "pending", at, row });
    } else if (name === "TaskUpdate" && outcome === "ok") {
      const id = textField(call, "taskId") ?? "";
      const known = tasks.get(id);
      if (!known) continue;
      if (input.status === "deleted") tasks.delete(id);
      else
        tasks.set(id, {
          text: textField(call, "subject") ?? known.text,
          status: input.status === undefined ? known.status : statusOf(input.status),
          at,
          // The row that names the task tells more than the one that changes its status.
          row: known.row,
        });
    }
  }
  return [...tasks.values()];
}

function readList(todos: readonly unknown[]) {
  return todos.flatMap((todo) =>
    isObject(todo) && typeof todo.content === "string"
      ? [{ text: todo.content, status: statusOf(todo.status) }]
      : [],
  );
}

const statusOf = (status: unknown): Todo["status"] =>
  status === "completed" || status === "in_progress" ? status : "pending";

/** The number that a new task was given is only in the answer. */
function numberIn({ output }: ToolCall) {
  return /^Task #(\S+) created/.exec(output)?.[1];
}

/** The plan that was last put before the user, approved or not. */
export function planOf(calls: readonly ToolCall[]): Plan | undefined {
  const last = calls.findLast(
    (call) => call.name === "ExitPlanMode" && textField(call, "plan") !== undefined,
  );
  const text = last && textField(last, "plan");
  return last && text ? { at: last.at, row: last.row, text, approved: last.outcome === "ok" } : undefined;
}
