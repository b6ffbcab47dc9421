/** @import { Task } from './index.js' */
import { element } from '../dom.js';
import { table } from '../table.js';
import { bar } from './bar.js';
import { numbered } from './numbered.js';

/**
 * Task of a sequence classification model with one label.
 * @type {Task}
 */
export const reranking = {
  title: 'Reranking',
  labels: () => [],
  path: 'rerank',
  asks: 'Query',
  body: (texts, _, query) => ({ query, documents: texts }),

  draw(sent, { results, greatest = 1 }) {
    /** @type {{ index: number, relevance_score: number }[]} */
    const ranked = results;
    const rows = ranked.map(({ index, relevance_score }) => {
      const { number = 0, text = '' } = sent[index] ?? {};
      return [numbered(number, text), bar(relevance_score / greatest, relevance_score.toFixed(3))];
    });
    const [best] = ranked;
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
