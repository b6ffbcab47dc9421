import type { Task } from './task.ts';
import { element } from '#serve/http/pages/browser/dom.ts';
import { table } from '#serve/http/pages/browser/components/facts.ts';
import { bar } from './bars.ts';
import { numbered } from './marked-text.ts';

export interface Ranking {
  readonly results: readonly { readonly index: number; readonly relevance_score: number }[];
  /** The score that corresponds to a full bar. */
  readonly greatest?: number | undefined;
}

/** The task of a sequence classification model with one label. */
export const reranking: Task<Ranking> = {
  title: 'Reranking',
  labels: () => [],
  path: 'rerank',
  asks: 'Query',
  body: (texts, _, query) => ({ query, documents: texts }),

  draw(sent, { results, greatest = 1 }) {
    const rows = results.map(({ index, relevance_score }) => {
      const { number = 0, text = '' } = sent[index] ?? {};
      return [numbered(number, text), bar(relevance_score / greatest, relevance_score.toFixed(3))];
    });
    const [best] = results;
    const part = element(
      'section',
      { class: 'result' },
      element('h3', {}, 'Most relevant first'),
      table('Texts by relevance', ['Text', 'Relevance'], rows, 'bars ranking'),
    );
    return {
      parts: [part],
      spoken: best
        ? `Most relevant: text ${sent[best.index]?.number}, ${best.relevance_score.toFixed(3)}.`
        : '',
    };
  },

  examples: () => [
    {
      name: 'A person',
      query: 'Where does Anna live?',
      texts: ['Ben likes tea.', 'Anna lives in Berlin.', 'Berlin is a city in Germany.'],
    },
    {
      name: 'The weather',
      query: 'Will it rain tomorrow?',
      texts: [
        'The market closes at noon.',
        'The forecast for tomorrow is heavy rain.',
        'It was sunny all week.',
        'The price of the loan went up.',
      ],
    },
  ],
};

/**
 * The task of a model with one vector per token. Its scores have no maximum, so the bars are
 * relative to the best score.
 */
export const multiVector: Task<Ranking> = {
  ...reranking,
  title: 'Late interaction',
  draw: (sent, { results }, ...others) =>
    reranking.draw(sent, { results, greatest: results[0]?.relevance_score }, ...others),
};
