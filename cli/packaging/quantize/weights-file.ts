import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { create } from '@bufbuild/protobuf';
import type { ByteSource } from '#contract/container/byte-source.ts';
import { configError } from '#contract/errors.ts';
import { StringStringEntryProtoSchema, type TensorProto, TensorProtoSchema } from '#gen/onnx/v1/onnx_pb.ts';

const EXTERNAL = 1;
const LOCATION = 'location';
/** Alignment of tensors: a multiple of all element sizes and of the CPU's vector width. */
const ALIGNMENT = 64;
/** Size of the chunks in which tensors are copied. */
const PIECE = 2 ** 24;

/**
 * Returns the values of a float32 tensor, or of a range of its first axis, from the graph or from a
 * weights file.
 */
export function readFloats(
  tensor: TensorProto,
  weights: ByteSource,
  rows?: { readonly first: number; readonly count: number },
): Float32Array {
  const size = tensor.dims.reduce((product, length) => product * Number(length), 1);
  const width = size / Number(tensor.dims[0] ?? 1);
  const [first, count] = rows ? [rows.first * width, rows.count * width] : [0, size];
  const range = externalRange(tensor);
  if ((range?.length ?? tensor.rawData.byteLength) !== size * 4)
    throw configError(
      `The tensor ${tensor.name} in the graph does not have ${size} values. Export the model again.`,
    );
  const bytes = range
    ? weights.readAt(range.offset + first * 4, count * 4)
    : // A copy, because the bytes in the graph are not aligned.
      new Uint8Array(tensor.rawData.subarray(first * 4, (first + count) * 4));
  return new Float32Array(bytes.buffer, bytes.byteOffset, count);
}

/** Writes a weights file to which graphs in the same folder can refer. */
export class WeightsWriter {
  readonly #name: string;
  readonly #stream: WriteStream;
  #size = 0;

  constructor(path: string, name: string) {
    this.#name = name;
    this.#stream = createWriteStream(path);
  }

  /** Adds a tensor whose bytes arrive in chunks, and returns it as an initializer. */
  async add(
    name: string,
    dataType: number,
    dims: readonly number[],
    pieces: Iterable<ArrayBufferView>,
  ): Promise<TensorProto> {
    return await this.#place(create(TensorProtoSchema, { name, dataType, dims: dims.map(BigInt) }), pieces);
  }

  /**
   * Copies a tensor if it is in a file with this name. Tensors in other files or in the graph
   * itself are not moved.
   */
  async copy(tensor: TensorProto, name: string, file: ByteSource): Promise<TensorProto> {
    const range = externalRange(tensor);
    return range?.location === name ? await this.#place(tensor, piecesOf(file, range)) : tensor;
  }

  async finish(): Promise<void> {
    this.#stream.end();
    await once(this.#stream, 'close');
  }

  async #place(tensor: TensorProto, pieces: Iterable<ArrayBufferView>): Promise<TensorProto> {
    await this.#write(new Uint8Array((ALIGNMENT - (this.#size % ALIGNMENT)) % ALIGNMENT));
    const offset = this.#size;
    for (const { buffer, byteOffset, byteLength } of pieces)
      await this.#write(new Uint8Array(buffer, byteOffset, byteLength));
    const externalData = [
      entry(LOCATION, this.#name),
      entry('offset', String(offset)),
      entry('length', String(this.#size - offset)),
    ];
    return create(TensorProtoSchema, { ...tensor, dataLocation: EXTERNAL, externalData });
  }

  async #write(bytes: Uint8Array): Promise<void> {
    this.#size += bytes.byteLength;
    if (bytes.byteLength > 0 && !this.#stream.write(bytes)) await once(this.#stream, 'drain');
  }
}

interface ExternalRange {
  readonly location: string;
  readonly offset: number;
  readonly length: number;
}

function* piecesOf(file: ByteSource, { offset, length }: ExternalRange): Iterable<Uint8Array> {
  for (let at = 0; at < length; at += PIECE) yield file.readAt(offset + at, Math.min(PIECE, length - at));
}

const entry = (key: string, value: string) => create(StringStringEntryProtoSchema, { key, value });

function externalRange({ externalData }: TensorProto): ExternalRange | undefined {
  const entries = new Map(externalData.map(({ key, value }) => [key, value]));
  const location = entries.get(LOCATION);
  if (location === undefined) return undefined;
  return { location, offset: Number(entries.get('offset') ?? 0), length: Number(entries.get('length') ?? 0) };
}
