/** @import { Model, Task } from './index.js' */
import { element } from '../dom.js';
import { percent } from '../numbers.js';
import { table } from '../table.js';
import { bar } from './bar.js';
import { quotedText } from './quoted-text.js';

/** Number of rows to show at first; the rest are expandable. */
const SHOWN = 8;

/** @type {Task} */
export const sequenceClassification = {
  title: 'Sequence classification',
  labels: (labels) => labels,
  path: 'predict',
  body: (texts) => ({ inputs: texts }),

  draw(sent, { results }, model) {
    const ranked = sent.map((one, at) => ({ ...one, ranks: rank(results[at], model) }));
    return {
      parts: ranked.map(({ number, text, ranks }) => quotedText(number, text, ...bars(ranks, number))),
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
 * A label with its score. The score of a regression model is an unbounded number, so it has no bar.
 * @typedef {{ label: string, score: number, shown: string, hasBar: boolean }} Rank
 */

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

/**
 * @param {readonly Rank[]} ranks
 * @param {number} number
 */
function bars(ranks, number) {
  const first = barTable(`Labels of text ${number}`, ranks.slice(0, SHOWN));
  if (ranks.length <= SHOWN) return [first];
  const summary = element('summary', {}, `${ranks.length - SHOWN} more labels`);
  const rest = barTable(`More labels of text ${number}`, ranks.slice(SHOWN));
  return [first, element('details', {}, summary, rest)];
}

/**
 * @param {string} caption
 * @param {readonly Rank[]} ranks
 */
function barTable(caption, ranks) {
  const rows = ranks.map(({ label, score, shown, hasBar }) => [label, hasBar ? bar(score, shown) : shown]);
  return table(caption, ['Label', 'Score'], rows, 'bars');
}
