import { type ModelType, vectorKind } from '#contract/model-types.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { readRenderedJson } from '../json/json.ts';
import type { JsonPiece } from '../served/served-type.ts';
import type { SparseVector } from './types.ts';

/** Reads a vector that a thread has rendered as a JSON string in base64. It has memory of its own. */
export function vectorInBase64(rendered: Uint8Array): Float32Array<ArrayBuffer> {
  const text = Buffer.from(rendered.buffer, rendered.byteOffset + 1, rendered.length - 2).toString('latin1');
  const bytes = Buffer.from(text, 'base64');
  const vector = new Float32Array(bytes.length / Float32Array.BYTES_PER_ELEMENT);
  new Uint8Array(vector.buffer).set(bytes);
  return vector;
}

/** Converts the JSON of a result of an embedding model to vectors. */
export function vectorsInJson(piece: JsonPiece, type: ModelType): unknown {
  const result = readJson(piece) as Rendered;
  const kind = vectorKind(type);
  if (kind === 'tokens') return (result.embeddings ?? []).map(({ embedding }) => floats(embedding));
  if (kind === 'late-interaction') return (result.vectors ?? []).map(floats);
  if (kind === 'sparse') return sparse(result as RenderedSparse);
  return {
    ...(result.embedding && { embedding: floats(result.embedding) }),
    ...(result.vectors && { vectors: result.vectors.map(floats) }),
    ...(result.sparse && { sparse: sparse(result.sparse) }),
  };
}

export const readJson = (piece: JsonPiece): unknown =>
  typeof piece === 'string' ? parseJsonText(piece) : readRenderedJson(piece);

interface RenderedSparse {
  readonly indices: readonly number[];
  readonly values: readonly number[];
  readonly tokens?: readonly (string | null)[];
}

interface Rendered {
  readonly embeddings?: readonly { readonly embedding: readonly number[] }[];
  readonly embedding?: readonly number[];
  readonly vectors?: readonly (readonly number[])[];
  readonly sparse?: RenderedSparse;
}

const floats = (numbers: readonly number[]): Float32Array<ArrayBuffer> => Float32Array.from(numbers);

const sparse = ({ indices, values, tokens }: RenderedSparse): SparseVector => ({
  indices: Int32Array.from(indices),
  values: floats(values),
  ...(tokens && { tokens }),
});
