import type { Task } from './task.ts';
import { type Rank, bars } from './bars.ts';
import { quotedText } from './marked-text.ts';

export interface SparseVector {
  readonly indices: readonly number[];
  readonly values: readonly number[];
  readonly tokens: readonly (string | null)[];
}

export const sparseEmbedding: Task<{ readonly results: readonly SparseVector[] }> = {
  title: 'Sparse embedding',
  labels: () => [],
  path: 'predict',
  body: (texts) => ({ inputs: texts, tokens: true }),

  draw(sent, { results }) {
    const ranked = sent.map((one, at) => ({ ...one, ranks: rank(results[at]) }));
    return {
      parts: ranked.map(({ number, text, ranks }) =>
        quotedText(number, text, ...bars(ranks, `text ${number}`, 'Word')),
      ),
      spoken: ranked
        .map(
          ({ number, ranks }) =>
            `Text ${number}: ${ranks.length} words, top word: ${ranks[0]?.label ?? 'none'}.`,
        )
        .join(' '),
    };
  },

  examples: () => [
    { name: 'A question', texts: ['Where can I see wild animals?'] },
    {
      name: 'Two texts',
      texts: ['The dog barks at the cat', 'The investor borrows from the bank'],
    },
  ],
};

/** Returns a vector's words with their values, largest value first. The largest value has a full bar. */
function rank(vector: SparseVector | undefined): Rank[] {
  const { indices, values, tokens } = vector ?? { indices: [], values: [], tokens: [] };
  const greatest = Math.max(...values);
  return values
    .map((value, at) => ({
      label: tokens[at] ?? `Token ${indices[at]}`,
      value,
      score: value / greatest,
      shown: value.toFixed(3),
      hasBar: true,
    }))
    .sort((left, right) => right.value - left.value);
}
