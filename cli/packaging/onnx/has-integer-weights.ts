import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import type { ByteSource } from '../../../runtime/contract/container/byte-source.ts';

/** Field numbers of onnx.proto. */
const MODEL_GRAPH = 7;
const GRAPH_INITIALIZER = 5;
const TENSOR_DIMS = 1;
const TENSOR_TYPE = 2;

/** uint8, int8, uint4 and int4 by their number in TensorProto.DataType: types of quantized weights. */
const QUANTIZED = new Set([2, 3, 21, 22]);
/** Smaller tensors are scales, zero points and other constants. */
const MIN_ELEMENTS = 65_536;

/** Longest tag and length of a field. */
const MAX_HEADER = 20;

/**
 * Whether a model file has quantized weights. Reads only headers of fields, because the weights are too large to read. A file that
 * is not a model has none.
 */
export function hasIntegerWeights(source: ByteSource): boolean {
  try {
    for (const graph of fields(source, 0, source.size)) {
      if (graph.number !== MODEL_GRAPH) continue;
      for (const field of fields(source, graph.start, graph.end)) {
        if (field.number === GRAPH_INITIALIZER && isQuantized(source, field.start, field.end)) return true;
      }
    }
  } catch {
    // ONNX Runtime reads the same file next and reports what is wrong with it.
  }
  return false;
}

interface Field {
  readonly number: number;
  readonly start: number;
  readonly end: number;
  /** Value of a number; 0 for other fields. */
  readonly value: number;
}

function isQuantized(source: ByteSource, start: number, end: number): boolean {
  let elements = 1;
  let type = 0;
  for (const field of fields(source, start, end)) {
    if (field.number === TENSOR_TYPE) type = field.value;
    if (field.number !== TENSOR_DIMS) continue;
    if (field.end === field.start) elements *= field.value;
    else elements *= product(source.readAt(field.start, Math.min(field.end - field.start, 256)));
  }
  return QUANTIZED.has(type) && elements >= MIN_ELEMENTS;
}

/** The product of packed dimensions. */
function product(packed: Uint8Array): number {
  const reader = new BinaryReader(packed);
  let result = 1;
  while (reader.pos < reader.len) result *= Number(reader.int64());
  return result;
}

/** The fields of a message; `start` and `end` enclose the content of a field with a length. */
function* fields(source: ByteSource, start: number, end: number): Generator<Field> {
  for (let at = start; at < end;) {
    const reader = new BinaryReader(source.readAt(at, Math.min(MAX_HEADER, end - at)));
    const [number, type] = reader.tag();
    if (type === WireType.LengthDelimited) {
      const length = reader.uint32();
      const content = at + reader.pos;
      at = content + length;
      yield { number, start: content, end: at, value: 0 };
    } else {
      const value = type === WireType.Varint ? Number(reader.int64()) : skipped(reader, type, number);
      at += reader.pos;
      yield { number, start: at, end: at, value };
    }
  }
}

function skipped(reader: BinaryReader, type: WireType, number: number): number {
  reader.skip(type, number);
  return 0;
}
