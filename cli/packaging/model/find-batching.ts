import type { Batching } from '#contract/batching.ts';
import type { FixedShape } from '#contract/fixed-shape.ts';
import { rowOf } from '#core/model/raw-output.ts';
import type { GraphProto } from '#gen/onnx/v1/onnx_pb.ts';
import type { TryResult } from '../../adapters/onnxruntime-task.ts';
import { nestedNodes } from '../onnx/nested-nodes.ts';

type Ids = readonly number[];

export interface BatchingTrial {
  readonly graph: GraphProto;
  readonly inputs: readonly string[];
  readonly fixedShape: FixedShape | undefined;
  /** Token ids of texts of different lengths. */
  readonly texts: readonly Ids[];
  /** The output for each text when it is run alone. */
  readonly alone: readonly Float32Array[];
  /** Runs a batch, padded to its longest text. */
  readonly run: (batch: readonly Ids[]) => Promise<TryResult>;
}

/**
 * Determines which texts can share a run without affecting each other's results. Checks the
 * operators of the graph, and runs each text alone and with others.
 */
export async function findBatching({
  graph,
  inputs,
  fixedShape = {},
  texts,
  alone,
  run,
}: BatchingTrial): Promise<Batching> {
  if (fixedShape.texts === 1 || quantizesOverBatch(graph)) return 'single';
  const isExact = async (
    batch: readonly Ids[],
    row: number,
    expected: Float32Array | undefined,
  ): Promise<boolean> =>
    expected !== undefined && isClose(rowOf(await run(batch), row, batch[row]?.length ?? 0), expected);

  const isPadded = fixedShape.tokens !== undefined;
  // Without a mask, the model treats padding as text, so the amount of padding must stay the same.
  if (inputs.includes('attention_mask') || isPadded) {
    const first = Math.max(texts.length - (fixedShape.texts ?? Infinity), 0);
    const batch = texts.slice(first);
    const together = await run(batch);
    if (batch.every((ids, row) => isClose(rowOf(together, row, ids.length), alone[first + row])))
      return 'any';
  }
  if (isPadded) return 'single';
  for (const [at, ids] of texts.entries()) {
    if (!(await isExact([neighborOf(ids), ids], 1, alone[at]))) return 'single';
  }
  return 'equal_length';
}

/**
 * These operators compute one scale for the whole batch, including padding, so the values of a text
 * depend on the other texts.
 */
const OVER_BATCH = /^DynamicQuantize/;

export function quantizesOverBatch(graph: GraphProto): boolean {
  for (const { opType } of nestedNodes(graph)) if (OVER_BATCH.test(opType)) return true;
  return false;
}

/** Another text of the same length, with the same tokens at both ends. */
function neighborOf(ids: Ids): number[] {
  return [...ids.slice(0, 1), ...ids.slice(1, -1).toReversed(), ...ids.slice(1).slice(-1)];
}

/**
 * Relative tolerance. The order of additions changes results far less (by under 2e-6 in all
 * measured models), and other texts, if they affect results, change them far more (by over 1e-2).
 */
const TOLERANCE = 1e-4;

/** Whether two results of a text are equal, apart from the effect of the order of additions. */
export function isClose(actual: Float32Array, expected: Float32Array | undefined): boolean {
  if (expected?.length !== actual.length) return false;
  const scale = expected.reduce((largest, value) => Math.max(largest, Math.abs(value)), 1);
  return actual.every((value, at) => Math.abs(value - (expected[at] ?? Number.NaN)) <= TOLERANCE * scale);
}
