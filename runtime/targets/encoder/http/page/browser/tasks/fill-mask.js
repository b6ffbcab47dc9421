/** @import { Rank } from './bars.js' */
/** @import { Task } from './index.js' */
import { percent } from '../numbers.js';
import { bars } from './bars.js';
import { quotedText } from './quoted-text.js';

/** Stands for the mask token of the model in examples. */
const MASK = '[MASK]';

/** @type {Task} */
export const fillMask = {
  title: 'Fill mask',
  labels: () => [],
  path: 'predict',
  // The examples are written for all models.
  body: (texts, { mask_token = MASK }) => ({
    inputs: texts.map((text) => text.replaceAll(MASK, mask_token)),
  }),

  draw(sent, { results }) {
    const ranked = sent.map((one, at) => ({ ...one, masks: ranksOf(results[at]) }));
    return {
      parts: ranked.map(({ number, text, masks }) =>
        quotedText(
          number,
          text,
          ...masks.flatMap((ranks, at) => bars(ranks, `mask ${at + 1} of text ${number}`, 'Word')),
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

/**
 * @param {{ masks: { candidates: { token: string, score: number }[] }[] }} result
 * @returns {Rank[][]} one list for each mask
 */
const ranksOf = ({ masks }) =>
  masks.map(({ candidates }) =>
    candidates.map(({ token, score }) => ({ label: token, score, shown: percent(score), hasBar: true })),
  );
