import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { fromBinary } from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { configError } from '../../../runtime/contract/errors.ts';
import { ValueInfoProtoSchema } from '../../../runtime/gen/onnx/v1/onnx_pb.ts';

/** An output of a graph, as far as its type is known without running it. */
export interface GraphOutput {
  readonly name: string;
  /** Number of axes. */
  readonly rank: number | undefined;
}

/** Field numbers of onnx.proto (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto). */
const MODEL_GRAPH = 7;
const GRAPH_OUTPUT = 12;

/** Reads the outputs of an ONNX file, without its weights, which can be gigabytes. */
export function graphOutputs(path: string): GraphOutput[] {
  const file = openSync(path, 'r');
  try {
    const read = (offset: number, length: number): Uint8Array => {
      const bytes = new Uint8Array(length);
      return bytes.subarray(0, readSync(file, bytes, 0, length, offset));
    };
    const graphs = fieldsIn(read, 0, statSync(path).size, MODEL_GRAPH);
    const outputs = graphs.flatMap(({ start, end }) => fieldsIn(read, start, end, GRAPH_OUTPUT));
    return outputs.map(({ start, end }) => {
      const { name, type } = fromBinary(ValueInfoProtoSchema, read(start, end - start));
      return { name, rank: type?.tensorType?.shape?.dim.length };
    });
  } catch (error) {
    throw configError(`${path} is not a valid ONNX file. Export the model to ONNX again.`, error);
  } finally {
    closeSync(file);
  }
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** A tag and a length, each of at most 10 bytes. */
const HEADER_BYTES = 20;
const FIXED_BYTES: Readonly<Partial<Record<WireType, number>>> = {
  [WireType.Bit64]: 8,
  [WireType.Bit32]: 4,
};

/** Finds the length-delimited fields with this number between two offsets. */
function fieldsIn(
  read: (offset: number, length: number) => Uint8Array,
  from: number,
  to: number,
  wanted: number,
): Range[] {
  const found: Range[] = [];
  let at = from;
  while (at < to) {
    const reader = new BinaryReader(read(at, Math.min(HEADER_BYTES, to - at)));
    const [number, type] = reader.tag();
    const fixed = FIXED_BYTES[type];
    if (fixed !== undefined) at += reader.pos + fixed;
    else {
      const value = Number(reader.uint64());
      const start = at + reader.pos;
      at = type === WireType.LengthDelimited ? start + value : start;
      if (at > to) throw new RangeError('A field ends after its message');
      if (number === wanted && type === WireType.LengthDelimited) found.push({ start, end: at });
    }
  }
  return found;
}
