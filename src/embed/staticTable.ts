// An embedder from a Model2Vec folder: the mean of the rows of a table, read from the file as they are needed.
import { closeSync, openSync, readSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { BoundedMap, errorText, isObject, type JsonObject, parseJson } from "../lib/index.ts";
import { cannotEmbed, type Embedder } from "./embedder.ts";
import { hashOfFile, prefixesBeside, prefixName, tokenizerBeside } from "./modelFiles.ts";

const FIX =
  "throughline config set search.modelFile FOLDER/model.safetensors, with its tokenizer.json in the same folder";
const MOST_PIECES = 512;
const TEXTS_AT_ONCE = 64;
const LARGEST_HEADER = 100_000_000;
const KEPT_ROWS = 20_000;

/** Bytes a number, by the name that safetensors has for its type. */
const widths = { F32: 4, F16: 2, BF16: 2, F64: 8, I8: 1, I32: 4, I64: 8 } as const;

type NumberType = keyof typeof widths;

interface Table {
  readonly rows: number;
  readonly columns: number;
  row(at: number): Float32Array;
}

function halfFloat(bits: number) {
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
  const size = exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15);
  return bits >> 15 === 1 ? -size : size;
}

function brainFloat(bits: number) {
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, bits << 16);
  return view.getFloat32(0);
}

function numberAt(view: DataView, type: NumberType, at: number) {
  if (type === "F32") return view.getFloat32(at, true);
  if (type === "F64") return view.getFloat64(at, true);
  if (type === "I8") return view.getInt8(at);
  if (type === "I32") return view.getInt32(at, true);
  if (type === "I64") return Number(view.getBigInt64(at, true));
  return (type === "F16" ? halfFloat : brainFloat)(view.getUint16(at, true));
}

function readAt(file: number, position: number, length: number) {
  const bytes = Buffer.alloc(length);
  if (readSync(file, bytes, 0, length, position) !== length) throw new Error("it ends too early");
  return new DataView(bytes.buffer, bytes.byteOffset, length);
}

const isNumberType = (type: unknown): type is NumberType =>
  typeof type === "string" && Object.hasOwn(widths, type);

/** A tensor of one or two dimensions; undefined where the file has none of that name. */
function tableIn(file: number, header: JsonObject, start: number, name: string): Table | undefined {
  const { [name]: about } = header;
  if (!isObject(about)) return undefined;
  const { dtype: type, shape, data_offsets: offsets } = about;
  if (!isNumberType(type) || !Array.isArray(shape) || !Array.isArray(offsets))
    throw new Error(`its ${name} are of the type ${String(type)}`);
  const [rows = 0, columns = 1] = shape.map(Number);
  const [length, known] = [columns * widths[type], new BoundedMap<number, Float32Array>(KEPT_ROWS)];
  return {
    rows,
    columns,
    row: (at) =>
      known.remember(at, () => {
        const view = readAt(file, start + Number(offsets[0]) + at * length, length);
        return Float32Array.from({ length: columns }, (_, column) =>
          numberAt(view, type, column * widths[type]),
        );
      }),
  };
}

interface StaticModel {
  readonly table: Table;
  /** How much a piece counts; 1 unless the file says otherwise. */
  weightOf(id: number): number;
  /** The row of a piece, where pieces share rows. */
  rowOf(id: number): number;
}

function readModel(file: number): StaticModel {
  const size = Number(readAt(file, 0, 8).getBigUint64(0, true));
  if (size > LARGEST_HEADER) throw new Error("it is no safetensors file");
  const { buffer, byteOffset, byteLength } = readAt(file, 8, size);
  const header = parseJson(Buffer.from(buffer, byteOffset, byteLength).toString("utf8"));
  if (!isObject(header)) throw new Error("it is no safetensors file");
  const [table, weights, mapping] = ["embeddings", "weights", "mapping"].map((name) =>
    tableIn(file, header, 8 + size, name),
  );
  if (table === undefined) throw new Error("it has no embeddings");
  const first = (from: Table | undefined, id: number) =>
    from === undefined || id >= from.rows ? undefined : from.row(id)[0];
  return {
    table,
    weightOf: (id) => first(weights, id) ?? 1,
    rowOf: (id) => first(mapping, id) ?? id,
  };
}

/** The weighted mean of the rows of its pieces, of length one; zeros where it has no known piece. */
function vectorOf(ids: readonly number[], { table, weightOf, rowOf }: StaticModel) {
  const sum = new Float32Array(table.columns);
  for (const id of ids) {
    const [at, weight] = [rowOf(id), weightOf(id)];
    if (at >= table.rows) continue;
    const row = table.row(at);
    for (let column = 0; column < sum.length; column += 1)
      sum[column] = (sum[column] ?? 0) + weight * (row[column] ?? 0);
  }
  const length = Math.sqrt(sum.reduce((total, value) => total + value * value, 0));
  return length === 0 ? sum : sum.map((value) => value / length);
}

/** Rows are read from the file again and again: the table itself takes no memory. */
export async function openStatic({ file }: { readonly file: string }): Promise<Embedder> {
  if (file === "") throw cannotEmbed("no file of a model is named", FIX);
  const [hash, tokenizer, prefixes] = [
    await hashOfFile(file, FIX),
    tokenizerBeside(file, FIX),
    prefixesBeside(file),
  ];
  let opened: { readonly file: number; readonly model: StaticModel } | undefined;
  const open = () => {
    const handle = openSync(file, "r");
    try {
      return { file: handle, model: readModel(handle) };
    } catch (error) {
      closeSync(handle);
      throw cannotEmbed(`${file} cannot be used: ${errorText(error)}`, FIX, error);
    }
  };
  opened = open();
  const embed: Embedder["embed"] = async (texts, as = "passage") => {
    const used = opened ?? open();
    opened = used;
    const vectors: Float32Array[] = [];
    for (const text of texts) {
      await nextTurn();
      if (opened !== used) throw cannotEmbed("the model was closed", FIX);
      const ids = tokenizer.pieces(prefixes[as] + text, MOST_PIECES);
      vectors.push(
        vectorOf(
          ids.filter((id) => id !== tokenizer.unknown),
          used.model,
        ),
      );
    }
    return vectors;
  };
  return {
    id: `model2vec:${hash}${prefixName(prefixes)}`,
    dimensions: opened.model.table.columns,
    languages: "any",
    batch: TEXTS_AT_ONCE,
    embed,
    close: async () => {
      if (opened !== undefined) closeSync(opened.file);
      opened = undefined;
    },
  };
}
