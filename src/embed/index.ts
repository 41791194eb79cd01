// Text as vectors: one interface and its implementations, opened by the entry points and the worker.
export type { Embedder } from "./embedder.ts";
export { openOnnx } from "./onnxFile.ts";
export { openServer } from "./openaiCompatible.ts";
export { openPackaged } from "./packaged.ts";
export { openStatic } from "./staticTable.ts";
