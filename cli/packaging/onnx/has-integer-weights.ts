import { BinaryReader } from '@bufbuild/protobuf/wire';
import type { ByteSource } from '../../../runtime/contract/container/byte-source.ts';
import { messageFields } from './message-fields.ts';

/** Field numbers of onnx.proto. */
const MODEL_GRAPH = 7;
const GRAPH_INITIALIZER = 5;
const TENSOR_DIMS = 1;
const TENSOR_TYPE = 2;

/** uint8, int8, uint4 and int4 by their number in TensorProto.DataType: types of quantized weights. */
const QUANTIZED = new Set([2, 3, 21, 22]);
/** Smaller tensors are scales, zero points and other constants. */
const MIN_ELEMENTS = 65_536;

/**
 * Whether a model file has quantized weights. Reads only headers of fields, because the weights are too large to read. A file that
 * is not a model has none.
 */
export function hasIntegerWeights(source: ByteSource): boolean {
  try {
    for (const graph of messageFields(source, 0, source.size)) {
      if (graph.number !== MODEL_GRAPH) continue;
      for (const field of messageFields(source, graph.start, graph.end)) {
        if (field.number === GRAPH_INITIALIZER && isQuantized(source, field.start, field.end)) return true;
      }
    }
  } catch {
    // ONNX Runtime reads the same file next and reports what is wrong with it.
  }
  return false;
}

function isQuantized(source: ByteSource, start: number, end: number): boolean {
  let elements = 1;
  let type = 0;
  for (const field of messageFields(source, start, end)) {
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
