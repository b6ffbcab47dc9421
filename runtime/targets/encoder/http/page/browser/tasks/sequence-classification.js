/** @import { Rank } from './bars.js' */
/** @import { Model, Task } from './index.js' */
import { element } from '../dom.js';
import { labelExamples } from '../label-examples.js';
import { percent } from '../numbers.js';
import { bars } from './bars.js';
import { quotedText } from './quoted-text.js';
import { isMultiLabel, THRESHOLD } from './threshold.js';

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
        quotedText(number, text, ...noneNote(ranks), ...bars(ranks, `text ${number}`)),
      ),
      spoken: ranked.map(({ number, ranks }) => `Text ${number}: ${spokenRanks(ranks)}.`).join(' '),
    };
  },

  examples: ({ id2label = {}, languages = [] }) => labelExamples(Object.values(id2label), languages),
};

/**
 * @param {{ scores: number[] }} result
 * @param {Model} model
 * @returns {Rank[]} the highest score first
 */
function rank({ scores }, model) {
  const { id2label, score_function } = model;
  const hasBar = score_function !== 'none';
  const isOwn = isMultiLabel(model);
  return scores
    .map((score, index) => ({
      label: id2label?.[index] ?? `Label ${index}`,
      score,
      shown: hasBar ? percent(score) : score.toFixed(3),
      hasBar,
      isChosen: isOwn ? score >= THRESHOLD : undefined,
    }))
    .sort((left, right) => right.score - left.score)
    .map((one, at) => ({ ...one, isChosen: one.isChosen ?? at === 0 }));
}

/**
 * Labels with scores of their own can all be below the threshold; the highest one is not a result then.
 * @param {readonly Rank[]} ranks
 */
const noneNote = (ranks) =>
  ranks.some(({ isChosen }) => isChosen)
    ? []
    : [element('p', { class: 'finding' }, `No label reaches ${percent(THRESHOLD)}.`)];

/** @param {readonly Rank[]} ranks */
function spokenRanks(ranks) {
  const chosen = ranks.filter(({ isChosen }) => isChosen);
  return chosen.length === 0
    ? `no label reaches ${percent(THRESHOLD)}`
    : chosen.map(({ label, shown }) => `${label} ${shown}`).join(', ');
}
