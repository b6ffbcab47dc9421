import { parseJsonText } from '#core/json/json-text.ts';
import type { ServingEngine } from '../engine/serving.ts';
import { type FilledText, fillMasks, type MaskedText } from '../tasks/masks.ts';

/** Completes rendered results of a fill_mask model. */
export const filled = (
  engine: Pick<ServingEngine, 'decode'>,
  results: readonly Uint8Array[],
): Promise<FilledText[]> =>
  fillMasks(
    engine,
    results.map((result) => parseJsonText(Buffer.from(result).toString()) as MaskedText),
  );
