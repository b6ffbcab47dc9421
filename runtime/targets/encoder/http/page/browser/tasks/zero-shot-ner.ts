import { type Task, labelsIn } from './task.ts';
import { element, scrollable } from '#serve/http/pages/browser/dom.ts';
import { piecesBetween } from '../entities.ts';
import { percent } from '../numbers.ts';
import { table } from '#serve/http/pages/browser/components/facts.ts';
import { colors, markedText, quotedText } from './marked-text.ts';

interface Entity {
  readonly text: string;
  readonly label: string;
  readonly score: number;
  readonly start: number;
  readonly end: number;
}

export const zeroShotNer: Task<{ readonly results: readonly { readonly entities: readonly Entity[] }[] }> = {
  title: 'Zero-shot NER',
  labels: () => [],
  path: 'predict',
  asks: 'Labels, separated by commas',
  body: (texts, _, labels) => ({ inputs: texts, labels: labelsIn(labels) }),

  draw(sent, { results }, _, labels) {
    const colorOf = colors(labelsIn(labels));
    const drawn = sent.map(({ number, text }, at) => {
      const entities = results[at]?.entities ?? [];
      const spans = entities.map(({ label, start, end }) => ({ type: label, start, end }));
      const said = entities.map((entity) => `${entity.text}, ${entity.label}`);
      return {
        part: quotedText(
          number,
          markedText(piecesBetween(text, spans), colorOf),
          entityTable(entities, number),
        ),
        spoken: `Text ${number}: ${said.length === 0 ? 'no entities' : said.join('; ')}.`,
      };
    });
    return {
      parts: drawn.map(({ part }) => part),
      spoken: drawn.map(({ spoken }) => spoken).join(' '),
    };
  },

  examples: () => [
    { name: 'Short', query: 'person, city', texts: ['John lives in Berlin'] },
    {
      name: 'From the news',
      query: 'person, company, nationality, job',
      texts: ['The German engineer Peter Weber joined Globex Ltd.'],
    },
    {
      name: 'Two texts',
      query: 'person, company, city, weekday',
      texts: [
        'Anna Smith works at Acme Corporation in Paris.',
        'Peter Weber flew from Tokyo to New York on Monday.',
      ],
    },
  ],
};

function entityTable(entities: readonly Entity[], number: number) {
  const rows = entities.map(({ text, label, score, start, end }) => [
    text,
    label,
    percent(score),
    `${start}\u2013${end}`,
  ]);
  const name = `Entities in text ${number}`;
  const columns = ['Entity', 'Label', 'Score', 'Characters'];
  return element(
    'details',
    {},
    element('summary', {}, 'Entities with scores'),
    scrollable(name, table(name, columns, rows, 'figures')),
  );
}
