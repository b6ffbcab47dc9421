import { ints } from '#core/onnx/attributes.ts';
import type { EncoderGraph } from './encoder-graph.ts';
import type { Value } from './graph-writer.ts';

/** How distances between tokens share the rows of a table. */
export interface DistanceBuckets {
  /** Number of rows: one half for each direction. */
  readonly buckets: number;
  /** Distances from this one on share the last bucket. */
  readonly maxDistance: number;
}

/**
 * A bias for each head and each distance between key and query, as in T5; 1 x heads x length x
 * length.
 */
export function distanceBias(
  g: EncoderGraph,
  table: string,
  { buckets, maxDistance }: DistanceBuckets,
): Value {
  const { writer } = g;
  const rows = Array.from({ length: 2 * maxDistance + 1 }, (_, at) =>
    bucketOf(at - maxDistance, { buckets, maxDistance }),
  );
  const near = writer.op('Clip', [g.distances, writer.integer(-maxDistance), writer.integer(maxDistance)]);
  const index = writer.op('Gather', [writer.integers(rows), g.add(near, writer.integer(maxDistance))]);
  const bias = writer.op('Transpose', [g.lookUp(table, index)], ints('perm', [2, 0, 1]));
  return writer.op('Unsqueeze', [bias, writer.integers([0])]);
}

/**
 * Each small distance has its own bucket; larger ones share buckets on a logarithmic scale,
 * computed in float32 as in PyTorch.
 */
function bucketOf(distance: number, { buckets, maxDistance }: DistanceBuckets): number {
  const half = Math.floor(buckets / 2);
  const exact = Math.floor(half / 2);
  const size = Math.abs(distance);
  const side = distance > 0 ? half : 0;
  if (size < exact) return side + size;
  const scaled = Math.fround(
    Math.fround(
      Math.fround(Math.log(Math.fround(size / exact))) / Math.fround(Math.log(maxDistance / exact)),
    ) *
      (half - exact),
  );
  return side + Math.min(half - 1, exact + Math.floor(scaled));
}
