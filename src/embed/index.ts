// Text as vectors: one interface, and those who can do it. They are opened by doors and worker.
export type { Embedder } from "./embedder.ts";
export { openOnnx } from "./onnxFile.ts";
export { openServer } from "./openaiCompatible.ts";
export { openPackaged } from "./packaged.ts";
