import type { ServingEngine } from '../engine/serving.ts';
import { lengthsUpTo, makeTexts } from './texts.ts';
import { type Measured, putLoad, summarize } from './load.ts';

const CONCURRENCIES = [1, 8, 64] as const;

/** A row of the table: the results for one text length at one level of concurrency. */
export interface BenchCell {
  readonly tokens: number;
  readonly concurrency: number;
  /** Undefined if one round of requests would take much longer than the time available for a row. */
  readonly measured: Measured | undefined;
}

/** A row can take this many times as long as its share of the time. */
const PATIENCE = 3;

/** Measures all text lengths and concurrency levels, starting with short texts and single requests. */
export async function measureCells(
  engine: ServingEngine,
  milliseconds: number,
  onProgress: (done: number, total: number) => void,
): Promise<BenchCell[]> {
  const lengths = lengthsUpTo(engine.manifest.tokenizer.maxLength);
  const total = lengths.length * CONCURRENCIES.length;
  const share = milliseconds / total;
  const cells: BenchCell[] = [];
  /** The time that a single text takes, in milliseconds, and the length of the text. */
  let single = { milliseconds: 0, tokens: 1 };
  for (const tokens of lengths) {
    const { texts } = await makeTexts(engine, tokens);
    for (const concurrency of CONCURRENCIES) {
      onProgress(cells.length, total);
      // The time increases at least in proportion to the text length.
      const expected = single.milliseconds * (tokens / single.tokens) * concurrency;
      const measured =
        expected > PATIENCE * share
          ? undefined
          : summarize([await putLoad(engine, texts, concurrency, share)]);
      cells.push({ tokens, concurrency, measured });
      if (measured && concurrency === 1) single = { milliseconds: measured.p50, tokens };
    }
  }
  onProgress(total, total);
  return cells;
}
