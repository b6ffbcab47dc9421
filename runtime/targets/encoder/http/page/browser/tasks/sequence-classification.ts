import { type Model, type Task, isMultiLabel, THRESHOLD } from './task.ts';
import { element } from '#serve/http/pages/browser/dom.ts';
import { labelExamples } from '../label-examples.ts';
import { percent } from '../numbers.ts';
import { type Rank, bars } from './bars.ts';
import { quotedText } from './marked-text.ts';

export const sequenceClassification: Task<{
  readonly results: readonly { readonly scores: readonly number[] }[];
}> = {
  title: 'Sequence classification',
  labels: (labels) => labels,
  path: 'predict',
  body: (texts) => ({ inputs: texts }),

  draw(sent, { results }, model) {
    const ranked = sent.map((one, at) => ({ ...one, ranks: rank(results[at]?.scores ?? [], model) }));
    return {
      parts: ranked.map(({ number, text, ranks }) =>
        quotedText(number, text, ...noneNote(ranks), ...bars(ranks, `text ${number}`)),
      ),
      spoken: ranked.map(({ number, ranks }) => `Text ${number}: ${spokenRanks(ranks)}.`).join(' '),
    };
  },

  examples: ({ id2label = {}, languages = [] }) => labelExamples(Object.values(id2label), languages),
};

/** Returns the labels with their scores, highest score first. */
export function rank(scores: readonly number[], model: Model): Rank[] {
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
 * If scores are independent, they can all be below the threshold. The label with the highest score
 * is then not a result.
 */
export const noneNote = (ranks: readonly Rank[]) =>
  ranks.some(({ isChosen }) => isChosen)
    ? []
    : [element('p', { class: 'finding' }, `No label reaches ${percent(THRESHOLD)}.`)];

export function spokenRanks(ranks: readonly Rank[]) {
  const chosen = ranks.filter(({ isChosen }) => isChosen);
  return chosen.length === 0
    ? `no label reaches ${percent(THRESHOLD)}`
    : chosen.map(({ label, shown }) => `${label} ${shown}`).join(', ');
}
