// The workflow status of BMad 6 alpha, in the three shapes in which it is met: the first workflow that is still to be done.
import { isObject, type JsonObject } from "../../lib/index.ts";
import { at, wordsAt } from "./files.ts";

interface Workflow {
  readonly id: string;
  readonly status: string;
  readonly agent: string | undefined;
  readonly command: string | undefined;
}

const asWorkflow = (id: string, value: unknown): Workflow[] => {
  if (typeof value === "string") return [{ id, status: value, agent: undefined, command: undefined }];
  if (!isObject(value)) return [];
  const status = wordsAt(value, "status") ?? "";
  return [{ id, status, agent: wordsAt(value, "agent"), command: wordsAt(value, "command") }];
};

/** A flat map, a map of mappings, or a list of phases with their workflows. */
function workflowsOf(file: JsonObject): Workflow[] {
  const status = at(file, "workflow_status");
  if (isObject(status)) return Object.entries(status).flatMap(([id, value]) => asWorkflow(id, value));
  if (!Array.isArray(status)) return [];
  return status.flatMap((phase) => {
    const workflows = at(phase, "workflows");
    if (!Array.isArray(workflows)) return [];
    return workflows.flatMap((workflow) => asWorkflow(wordsAt(workflow, "id") ?? "unknown", workflow));
  });
}

/** Words for what is still to be done; a path stands for a result that is there. */
const isOpen = (status: string): boolean =>
  /^(required|optional|recommended|conditional|pending|not[-_ ]started|in[-_ ]progress)\b/i.test(status);

interface WorkflowState {
  /** What comes next, with the agent that does it. */
  readonly next: string | undefined;
  /** What people write into the file by themselves. */
  readonly phase: string | undefined;
  readonly epic: string | undefined;
}

export function readWorkflow(file: JsonObject): WorkflowState {
  const first = workflowsOf(file).find(({ status }) => isOpen(status));
  const who = [first?.agent, first?.command].filter((word) => word !== undefined).join(", ");
  const named = (key: string): string | undefined => {
    const value = at(file, key) ?? at(file, "workflow_status", key);
    return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
  };
  return {
    next: named("next_action") ?? (first && `${first.id} (${first.status}${who === "" ? "" : `; ${who}`})`),
    phase: named("current_phase"),
    epic: named("current_epic"),
  };
}
