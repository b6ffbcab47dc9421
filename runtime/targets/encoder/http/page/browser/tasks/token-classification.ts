import type { Task } from './task.ts';
import { counted } from '#serve/http/pages/browser/format.ts';
import { element, scrollable } from '#serve/http/pages/browser/dom.ts';
import { type Token, piecesOf, typeOf } from '../entities.ts';
import { percent } from '../numbers.ts';
import { table } from '#serve/http/pages/browser/components/facts.ts';
import { colors, markedText, quotedText } from './marked-text.ts';

export const tokenClassification: Task<{
  readonly results: readonly { readonly tokens: readonly Token[] }[];
}> = {
  title: 'Token classification',
  labels: entityTypes,
  path: 'predict',
  body: (texts) => ({ inputs: texts }),

  draw(sent, { results }, { id2label }) {
    const colorOf = colors(entityTypes(Object.values(id2label ?? {})));
    const drawn = sent.map(({ number, text }, at) => {
      const tokens = results[at]?.tokens ?? [];
      const pieces = piecesOf(text, tokens);
      const marked = markedText(pieces, colorOf);
      const entities = pieces.flatMap((piece) =>
        piece.type === undefined ? [] : [`${piece.text}, ${piece.type}`],
      );
      return {
        part: quotedText(number, marked, tokenTable(tokens, number)),
        spoken: `Text ${number}: ${entities.length === 0 ? 'no entities' : entities.join('; ')}.`,
      };
    });
    return {
      parts: drawn.map(({ part }) => part),
      spoken: drawn.map(({ spoken }) => spoken).join(' '),
    };
  },

  examples: () => [
    { name: 'Short', texts: ['John lives in Berlin'] },
    { name: 'From the news', texts: ['The German engineer Peter Weber joined Globex Ltd.'] },
    {
      name: 'Three texts',
      texts: [
        'Anna Smith works at Acme Corporation in Paris.',
        'Peter Weber flew from Tokyo to New York on Monday.',
        'Ada Lovelace studied at the University of London.',
      ],
    },
  ],
};

function entityTypes(labels: readonly string[]) {
  return [...new Set(labels.map(typeOf))].filter((type) => type !== 'O');
}

function tokenTable(tokens: readonly Token[], number: number) {
  const rows = tokens.map(({ token_info: { token, start, end }, label, score }) => [
    token,
    label,
    percent(score),
    `${start}\u2013${end}`,
  ]);
  const name = `Tokens in text ${number}`;
  const columns = ['Token', 'Label', 'Score', 'Characters'];
  const summary = element('summary', {}, `${counted(tokens.length, 'token')} with scores`);
  return element('details', {}, summary, scrollable(name, table(name, columns, rows, 'figures')));
}
