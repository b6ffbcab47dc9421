import { BinaryReader } from '@bufbuild/protobuf/wire';
import type { ByteSource } from '#contract/container/byte-source.ts';
import { type MessageField, messageFields } from './message-fields.ts';

/** Field numbers of onnx.proto. */
const MODEL_GRAPH = 7;
const GRAPH_NODE = 1;
const GRAPH_INITIALIZER = 5;
const NODE_INPUT = 1;
const NODE_OUTPUT = 2;
const TENSOR_DIMS = 1;
const TENSOR_TYPE = 2;
const TENSOR_NAME = 8;

/** Types of quantized weights, by their number in TensorProto.DataType: uint8, int8, uint4 and int4. */
const QUANTIZED = new Set([2, 3, 21, 22]);
/** Minimum size of weights. Smaller tensors are scales, zero points and other constants. */
const MIN_ELEMENTS = 65_536;

/**
 * Whether a model file contains quantized weights and operators that only convert them, so that
 * ONNX Runtime could compute the results in advance. Only reads field headers and names, because
 * the weights are too large. Returns false for a file that is not a model.
 */
export function convertsIntegerWeights(source: ByteSource): boolean {
  try {
    for (const graph of messageFields(source, 0, source.size)) {
      if (graph.number === MODEL_GRAPH && convertsIntegers(source, graph)) return true;
    }
  } catch {
    // Errors are ignored, because ONNX Runtime reads the same file next and reports them.
  }
  return false;
}

function convertsIntegers(source: ByteSource, graph: MessageField): boolean {
  const fields = [...messageFields(source, graph.start, graph.end)];
  const constants = new Set(['']);
  const integers = new Set<string>();
  for (const { number, start, end } of fields) {
    if (number !== GRAPH_INITIALIZER) continue;
    const { name, isQuantized } = readTensor(source, start, end);
    constants.add(name);
    if (isQuantized) integers.add(name);
  }
  if (integers.size === 0) return false;
  for (const { number, start, end } of fields) {
    if (number !== GRAPH_NODE) continue;
    const { inputs, outputs } = readNode(source, start, end);
    if (!inputs.every((name) => constants.has(name))) continue;
    if (inputs.some((name) => integers.has(name))) return true;
    for (const name of outputs) constants.add(name);
  }
  return false;
}

function readNode(source: ByteSource, start: number, end: number) {
  const fields = [...messageFields(source, start, end)];
  const names = (wanted: number): string[] =>
    fields.filter(({ number }) => number === wanted).map((field) => readName(source, field));
  return { inputs: names(NODE_INPUT), outputs: names(NODE_OUTPUT) };
}

function readTensor(source: ByteSource, start: number, end: number) {
  let elements = 1;
  let type = 0;
  let name = '';
  for (const field of messageFields(source, start, end)) {
    if (field.number === TENSOR_TYPE) type = field.value;
    if (field.number === TENSOR_NAME) name = readName(source, field);
    if (field.number !== TENSOR_DIMS) continue;
    if (field.end === field.start) elements *= field.value;
    else elements *= product(source.readAt(field.start, Math.min(field.end - field.start, 256)));
  }
  return { name, isQuantized: QUANTIZED.has(type) && elements >= MIN_ELEMENTS };
}

const readName = (source: ByteSource, { start, end }: MessageField): string =>
  new TextDecoder().decode(source.readAt(start, end - start));

/** Returns the product of packed dimensions. */
function product(packed: Uint8Array): number {
  const reader = new BinaryReader(packed);
  let result = 1;
  while (reader.pos < reader.len) result *= Number(reader.int64());
  return result;
}
