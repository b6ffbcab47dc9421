import type { Task } from './task.ts';
import { element } from '#serve/http/pages/browser/dom.ts';
import { percent } from '../numbers.ts';
import { quotedText } from './marked-text.ts';

interface Answered {
  readonly answers: readonly { answer: string; score: number; start: number; end: number }[];
}

export const questionAnswering: Task<{ readonly results: readonly Answered[] }> = {
  title: 'Question answering',
  labels: () => [],
  path: 'predict',
  asks: 'Question',
  body: (texts, _, question) => ({ inputs: texts.map((context) => ({ question, context })) }),

  draw(sent, { results }) {
    const drawn = sent.map(({ number, text }, at) => {
      const best = results[at]?.answers[0];
      return {
        part: quotedText(
          number,
          marked(text, best?.start ?? 0, best?.end ?? 0),
          element('p', { class: 'finding' }, best ? `${best.answer} (${percent(best.score)})` : 'No answer'),
        ),
        spoken: `Text ${number}: ${best?.answer ?? 'no answer'}.`,
      };
    });
    return {
      parts: drawn.map(({ part }) => part),
      spoken: drawn.map(({ spoken }) => spoken).join(' '),
    };
  },

  examples: () => [
    {
      name: 'A place',
      query: 'Where does Anna live?',
      texts: ['Anna lives in Berlin and works at Acme Corporation.'],
    },
    {
      name: 'A time',
      query: 'When does the market close?',
      texts: ['The market opens at eight and closes at noon.', 'The price of the loan went up.'],
    },
  ],
};

/**
 * A text with its answer highlighted. Offsets count Unicode code points, but strings count UTF-16 units.
 */
function marked(text: string, start: number, end: number) {
  const characters = Array.from(text);
  const answer = element('mark', { class: 'entity color-1' }, characters.slice(start, end).join(''));
  const node = element('span');
  node.append(
    characters.slice(0, start).join(''),
    ...(end > start ? [answer] : []),
    characters.slice(end).join(''),
  );
  return node;
}
