// The types of carrier.js, which the build makes of src/live/carrier.ts.
export { type CarrierSeam, LiveCarrier, type RequestFacts } from "../../../src/live/carrier.ts";
