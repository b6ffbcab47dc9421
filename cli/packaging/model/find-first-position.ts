import type { ByteSource } from '#contract/container/byte-source.ts';
import type { GraphProto, TensorProto } from '#gen/onnx/v1/onnx_pb.ts';
import { lookedUpTables } from '#core/onnx/facts.ts';

export interface PositionSource {
  readonly graph: GraphProto;
  /** Name of the input for the positions. */
  readonly input: string;
  /** `model_type` of config.json. */
  readonly family: unknown;
  readonly padId: number;
  /** The graph's external weights. */
  readonly weights: ByteSource;
}

/**
 * Returns the position of a text's first token. It is 0, but RoBERTa and related models start after
 * the padding id. In unknown families, such a start is detected by the position table: the row for
 * the padding id contains only zeros, because training never changes it.
 */
export function findFirstPosition({ graph, input, family, padId, weights }: PositionSource): number {
  const isOffset =
    startsAfterPadding(family) ||
    lookedUpTables(graph, input).some((table) => isZeroRow(table, padId, weights));
  return isOffset ? padId + 1 : 0;
}

function isZeroRow(table: TensorProto, row: number, weights: ByteSource): boolean {
  const rows = Number(table.dims[0] ?? 0n);
  if (row >= rows || table.dims.length !== 2) return false;
  const entries = new Map(table.externalData.map(({ key, value }) => [key, Number(value)]));
  const length = (entries.get('length') ?? table.rawData.length) / rows;
  if (length === 0) return false;
  const bytes = entries.has('length')
    ? weights.readAt((entries.get('offset') ?? 0) + row * length, length)
    : table.rawData.subarray(row * length, (row + 1) * length);
  return bytes.every((byte) => byte === 0);
}

/**
 * Whether positions start after the padding id, as in RoBERTa and related models. The first rows of
 * their position table are not used for tokens.
 */
export const startsAfterPadding = (modelType: unknown): boolean => FAMILIES.has(String(modelType));

const FAMILIES = new Set([
  'roberta',
  'xlm-roberta',
  'xlm-roberta-flash',
  'xlm-roberta-xl',
  'camembert',
  'mpnet',
  'lilt',
  'longformer',
  'luke',
  'esm',
]);
