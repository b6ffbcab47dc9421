import { type Task, labelsIn } from './task.ts';
import { percent } from '../numbers.ts';
import { bars } from './bars.ts';
import { quotedText } from './marked-text.ts';

interface Scored {
  readonly labels: readonly string[];
  readonly scores: readonly number[];
}

export const zeroShotClassification: Task<{ readonly results: readonly Scored[] }> = {
  title: 'Zero-shot classification',
  labels: () => [],
  path: 'predict',
  asks: 'Labels, separated by commas',
  offers: 'Several labels can apply',
  body: (texts, _, labels, isMultiLabel) => ({
    inputs: texts,
    candidate_labels: labelsIn(labels),
    ...(isMultiLabel ? { multi_label: true } : {}),
  }),

  draw(sent, { results }) {
    const drawn = sent.map(({ number, text }, at) => {
      const { labels, scores } = results[at] ?? { labels: [], scores: [] };
      const ranks = labels.map((label, rank) => {
        const score = scores[rank] ?? 0;
        return { label, score, shown: percent(score), hasBar: true };
      });
      return {
        part: quotedText(number, text, ...bars(ranks, `text ${number}`)),
        spoken: `Text ${number}: ${ranks[0]?.label} ${ranks[0]?.shown}.`,
      };
    });
    return {
      parts: drawn.map(({ part }) => part),
      spoken: drawn.map(({ spoken }) => spoken).join(' '),
    };
  },

  examples: () => [
    {
      name: 'A topic',
      query: 'sport, cooking, weather, money',
      texts: ['The team won the match.'],
    },
    {
      name: 'Several topics',
      query: 'sport, money, weather',
      option: true,
      texts: ['The club pays 80 million for its new striker.'],
    },
    {
      name: 'A request',
      query: 'urgent, can wait',
      texts: ['The server is down and customers call us.'],
    },
  ],
};
