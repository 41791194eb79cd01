// The error book: what failed in past sessions, how often, and what was changed before it passed.
export { failureClasses } from "./failure.ts";
export { type Errors, errorsSchema, findErrors } from "./request.ts";
