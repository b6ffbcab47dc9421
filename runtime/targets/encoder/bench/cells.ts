import type { ServingEngine } from '../engine/serving.ts';
import type { BenchInputs } from './inputs.ts';
import { type Measured, putLoad, summarize } from './load.ts';

const CONCURRENCIES = [1, 8, 64] as const;

/** A row of a table: the results for inputs of one size at one level of concurrency. */
export interface BenchCell {
  readonly inputs: BenchInputs;
  readonly concurrency: number;
  /** Undefined if one round of requests would take much longer than the time available for a row. */
  readonly measured: Measured | undefined;
}

/** A row can take this many times as long as its share of the time. */
const PATIENCE = 3;

/** Measures all inputs and concurrency levels, starting with short texts and single requests. */
export async function measureCells(
  engine: ServingEngine,
  plan: readonly BenchInputs[],
  milliseconds: number,
  onProgress: (done: number, total: number) => void,
): Promise<BenchCell[]> {
  const total = plan.length * CONCURRENCIES.length;
  const share = milliseconds / total;
  const cells: BenchCell[] = [];
  /** The time that a single input of the previous size takes, in milliseconds, and its work. */
  let single = { milliseconds: 0, work: 1 };
  for (const inputs of plan) {
    const work = workOf(inputs);
    for (const concurrency of CONCURRENCIES) {
      onProgress(cells.length, total);
      // The time increases at least in proportion to the work.
      const expected = single.milliseconds * (work / single.work) * concurrency;
      const measured =
        expected > PATIENCE * share
          ? undefined
          : summarize([await putLoad(engine, inputs.requests, concurrency, share)]);
      cells.push({ inputs, concurrency, measured });
      if (measured && concurrency === 1) single = { milliseconds: measured.p50, work };
    }
  }
  onProgress(total, total);
  return cells;
}

/** The work that inputs need at least, compared with others of their kind: images are resized to the size that the model reads. */
const workOf = ({ size }: BenchInputs): number => ('tokens' in size ? size.tokens : 1);
