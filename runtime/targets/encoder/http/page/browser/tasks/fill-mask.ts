import type { Task } from './task.ts';
import { percent } from '../numbers.ts';
import { type Rank, bars } from './bars.ts';
import { quotedText } from './marked-text.ts';

/** Placeholder for the model's mask token in examples. */
const MASK = '[MASK]';

interface Filled {
  readonly masks: readonly { readonly candidates: readonly { token: string; score: number }[] }[];
}

export const fillMask: Task<{ readonly results: readonly Filled[] }> = {
  title: 'Fill mask',
  labels: () => [],
  path: 'predict',
  // The same examples are used for all models.
  body: (texts, { mask_token = MASK }) => ({
    inputs: texts.map((text) => text.replaceAll(MASK, mask_token)),
  }),

  draw(sent, { results }) {
    const ranked = sent.map((one, at) => ({ ...one, masks: ranksOf(results[at]?.masks ?? []) }));
    return {
      parts: ranked.map(({ number, text, masks }) =>
        quotedText(
          number,
          text,
          ...masks.flatMap((ranks, at) => bars(ranks, `mask ${at + 1} in text ${number}`, 'Word')),
        ),
      ),
      spoken: ranked.map(({ number, masks }) => `Text ${number}: ${masks[0]?.[0]?.label}.`).join(' '),
    };
  },

  examples: () => [
    { name: 'One mask', texts: [`The capital of France is ${MASK}.`] },
    { name: 'Two masks', texts: [`The ${MASK} barks at the ${MASK}.`] },
  ],
};

/** Returns one list of candidates for each mask. */
const ranksOf = (masks: Filled['masks']): Rank[][] =>
  masks.map(({ candidates }) =>
    candidates.map(({ token, score }) => ({ label: token, score, shown: percent(score), hasBar: true })),
  );
