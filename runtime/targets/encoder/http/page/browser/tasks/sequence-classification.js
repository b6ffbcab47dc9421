/** @import { Task } from './index.js' */
import { element } from '../dom.js';
import { percent } from '../numbers.js';
import { table } from '../table.js';
import { bar } from './bar.js';
import { quotedText } from './quoted-text.js';

/** Rows that are shown at once; the others are a click away. */
const SHOWN = 8;

/** @type {Task} */
export const sequenceClassification = {
  title: 'Sequence classification',
  labels: (labels) => labels,
  path: 'predict',
  body: (texts) => ({ inputs: texts }),

  draw(sent, { results }, { id2label }) {
    const ranked = sent.map((one, at) => ({ ...one, ranks: rank(results[at], id2label) }));
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
      name: 'Three at once',
      texts: [
        'Best hotel in the city, highly recommended',
        'The movie was not good at all.',
        'The table is made of wood.',
      ],
    },
  ],
};

/**
 * @typedef {{ label: string, share: number, shown: string }} Rank
 */

/**
 * @param {{ scores: number[] }} result
 * @param {Record<string, string> | undefined} id2label
 * @returns {Rank[]} the likeliest first
 */
const rank = ({ scores }, id2label) =>
  scores
    .map((share, index) => ({ label: id2label?.[index] ?? `Label ${index}`, share, shown: percent(share) }))
    .sort((left, right) => right.share - left.share);

/**
 * @param {readonly Rank[]} ranks
 * @param {number} number
 */
function bars(ranks, number) {
  const first = barTable(`Labels of text ${number}`, ranks.slice(0, SHOWN));
  if (ranks.length <= SHOWN) return [first];
  const summary = element('summary', {}, `${ranks.length - SHOWN} more labels`);
  const rest = barTable(`Further labels of text ${number}`, ranks.slice(SHOWN));
  return [first, element('details', {}, summary, rest)];
}

/**
 * @param {string} caption
 * @param {readonly Rank[]} ranks
 */
function barTable(caption, ranks) {
  const rows = ranks.map(({ label, share, shown }) => [label, bar(share, shown)]);
  return table(caption, ['Label', 'Score'], rows, 'bars');
}
