// The properties of collapse over many more conversations than `npm test` has time for.
process.env.THROUGHLINE_RUNS = "10000";
await import("./collapse.property.test.ts");
