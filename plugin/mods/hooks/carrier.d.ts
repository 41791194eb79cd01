// The types of carrier.js, which the build makes of src/live/carrier.ts: complete here, since the folder is used without the sources.
export interface RequestFacts {
  readonly kind: "main" | "subagent" | "branch" | "count" | "side";
  readonly session: string;
  readonly agent?: string;
  readonly project: string;
  readonly transcript?: string;
  readonly client?: string;
  readonly betas?: readonly string[];
  readonly window?: number;
}

export interface CarrierSeam {
  ask(op: "plan", question: object, deadline: number): Promise<unknown>;
  tell(op: "observe", question: object): void;
  record(name: string): Promise<string | undefined>;
  summarise(
    wanted: object,
    text: string,
    facts: RequestFacts,
  ): Promise<string | { readonly text: string; readonly rows: number } | undefined>;
  summaryAhead?(prompt: string, rows: number): void;
  say(line: string): void;
}

export interface EditedRequest {
  readonly text: string;
  readonly version: number;
  readonly made: number;
}

export declare class LiveCarrier {
  constructor(name: "mod", seam: CarrierSeam, deadline?: number);
  edited(text: string, facts: RequestFacts): Promise<EditedRequest>;
  recovered(
    text: string,
    facts: RequestFacts,
    refused: { readonly attempt: number; readonly isUnread?: boolean },
    before: EditedRequest,
  ): Promise<EditedRequest | undefined>;
  observe(facts: RequestFacts, response: object): void;
}
