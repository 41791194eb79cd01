// The PostgreSQL engine keeps the contract of the store.
import { describe, inject } from "vitest";
import { storeContract } from "../storeContract/index.ts";
import { storesOn } from "./stores.ts";

storeContract(
  "PostgreSQL",
  storesOn(() => inject("postgresUrl")),
);

const old = inject("oldPostgresUrl");
describe.skipIf(old === "")("the oldest PostgreSQL, where the programs of 15 are installed", () => {
  storeContract(
    "PostgreSQL 15",
    storesOn(() => old),
  );
});
