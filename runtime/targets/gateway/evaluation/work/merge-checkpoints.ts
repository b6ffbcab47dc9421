import type { Json } from '../../providers/shapes/chat.ts';
import { mergeTotals } from './inference/totals.ts';
import type { WorkSpec } from './work.ts';

/** Merges the checkpoints of all ranges of a job, in the order of their rows. An evaluation has only one range. */
export function mergeCheckpoints(spec: Pick<WorkSpec, 'type'>, checkpoints: readonly Json[]): Json | null {
  return spec.type === 'evaluation' ? (checkpoints[0] ?? null) : mergeTotals(checkpoints);
}
