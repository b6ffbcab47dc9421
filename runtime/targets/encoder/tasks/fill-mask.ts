import { greatest } from '../math/greatest.ts';
import { softmax } from '#core/numbers/softmax.ts';
import { DEFAULT_CANDIDATES, type MaskedText, noMask } from './masks.ts';
import { finiteOutput } from './finite-output.ts';
import type { Task } from './task.ts';

/** Results are completed, and encoded as messages, by the thread that has the tokenizer. */
export const fillMask: Task<MaskedText> = {
  details: false,
  printedAs: 'predictions',

  result({ text, values }, manifest, { topK = DEFAULT_CANDIDATES, targets }) {
    const { mask, width } = manifest;
    const ids = [...text.ids];
    const positions = ids.flatMap((id, at) => (id === mask?.id ? [at] : []));
    if (positions.length === 0) throw noMask('The text', manifest);
    return {
      ids,
      masks: positions.map((position, row) => {
        const scores = softmax(finiteOutput(values.subarray(row * width, (row + 1) * width), manifest));
        return { position, candidates: best(scores, topK, targets) };
      }),
    };
  },

  printed: (inference, manifest, options) => fillMask.result(inference, manifest, options),
};

function best(
  scores: Float32Array,
  count: number,
  targets?: readonly number[],
): { token_id: number; score: number }[] {
  const scoreOf = (id: number): number => scores[id] ?? 0;
  return greatest(targets ?? scores.keys(), scoreOf, count).map((id) => ({
    token_id: id,
    score: scoreOf(id),
  }));
}
