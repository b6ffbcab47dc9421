/** @import { Rank } from './bars.js' */
/** @import { Model, Task } from './index.js' */
import { percent } from '../numbers.js';
import { bars } from './bars.js';
import { quotedText } from './quoted-text.js';

/** @type {Task} */
export const sequenceClassification = {
  title: 'Sequence classification',
  labels: (labels) => labels,
  path: 'predict',
  body: (texts) => ({ inputs: texts }),

  draw(sent, { results }, model) {
    const ranked = sent.map((one, at) => ({ ...one, ranks: rank(results[at], model) }));
    return {
      parts: ranked.map(({ number, text, ranks }) =>
        quotedText(number, text, ...bars(ranks, `text ${number}`)),
      ),
      spoken: ranked
        .map(({ number, ranks: [best] }) => `Text ${number}: ${best?.label} ${best?.shown}.`)
        .join(' '),
    };
  },

  examples: [
    { name: 'Praise', texts: ['I love this place. The staff was friendly and the room was lovely.'] },
    { name: 'Complaint', texts: ['The food was cold and the waiter was rude.'] },
    {
      name: 'Three texts',
      texts: [
        'Best hotel in the city, highly recommended',
        'The movie was not good at all.',
        'The table is made of wood.',
      ],
    },
  ],
};

/**
 * @param {{ scores: number[] }} result
 * @param {Model} model
 * @returns {Rank[]} the highest score first
 */
function rank({ scores }, { id2label, score_function }) {
  const hasBar = score_function !== 'none';
  return scores
    .map((score, index) => ({
      label: id2label?.[index] ?? `Label ${index}`,
      score,
      shown: hasBar ? percent(score) : score.toFixed(3),
      hasBar,
    }))
    .sort((left, right) => right.score - left.score);
}
