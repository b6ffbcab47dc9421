/** @import { Token } from '../entities.js' */
/** @import { Task } from './index.js' */
import { counted } from '../counted.js';
import { element, scrollable } from '../dom.js';
import { piecesOf, typeOf } from '../entities.js';
import { percent } from '../numbers.js';
import { table } from '../table.js';
import { colors, markedText } from './marked-text.js';
import { quotedText } from './quoted-text.js';

/** @type {Task} */
export const tokenClassification = {
  title: 'Token classification',
  labels: entityTypes,
  path: 'predict',
  body: (texts) => ({ inputs: texts }),

  draw(sent, { results }, { id2label }) {
    const colorOf = colors(entityTypes(Object.values(id2label ?? {})));
    const drawn = sent.map(({ number, text }, at) => {
      /** @type {Token[]} */
      const tokens = results[at].tokens;
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

/** @param {readonly string[]} labels */
function entityTypes(labels) {
  return [...new Set(labels.map(typeOf))].filter((type) => type !== 'O');
}

/**
 * @param {readonly Token[]} tokens
 * @param {number} number
 */
function tokenTable(tokens, number) {
  const rows = tokens.map(({ token_info: { token, start, end }, label, score }) => [
    token,
    label,
    percent(score),
    `${start}\u2013${end}`,
  ]);
  const name = `Tokens of text ${number}`;
  const columns = ['Token', 'Label', 'Score', 'Characters'];
  const summary = element('summary', {}, `${counted(tokens.length, 'token')} with scores`);
  return element('details', {}, summary, scrollable(name, table(name, columns, rows, 'figures')));
}
