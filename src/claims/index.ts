// What a text claims about a repository, checked against the repository as it is now.

export { type Place, readPlaces } from "./places.ts";
export { findReferences } from "./references.ts";
export { type Repository, readRepository, readRepositoryBeside } from "./repository.ts";
export {
  type CheckedReference,
  checkMemory,
  checkTruth,
  claimsOf,
  type TruthStanding,
  type TruthVerdict,
} from "./truth.ts";
