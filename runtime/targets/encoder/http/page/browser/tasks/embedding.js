/** @import { Sent, Task } from './index.js' */
import { copyButton } from '../copy-button.js';
import { heatMap } from '../charts/heat-map.js';
import { element, scrollable, withShare } from '../dom.js';
import { cosineText } from '../numbers.js';
import { table } from '../table.js';
import { cosine } from '../vectors.js';
import { numbered } from './numbered.js';

/** Number of vector elements to show. */
const SHOWN = 6;
/** With more texts than this, the matrix has small cells. */
const MANY = 12;

/** @type {Task} */
export const embedding = {
  title: 'Embedding',
  labels: () => [],
  path: 'v1/embeddings',
  body: (texts, { model_id }) => ({ model: model_id, input: texts }),

  draw(sent, { data }) {
    /** @type {number[][]} */
    const vectors = data.map((/** @type {{ embedding: number[] }} */ item) => item.embedding);
    const width = vectors[0]?.length ?? 0;
    const list = element('ol', { class: 'vectors' });
    list.append(...sent.map((one, at) => vectorItem(one, vectors[at] ?? [])));
    const heading = element('h3', {}, `Vectors with ${width} dimensions`);
    if (sent.length < 2) {
      const hint = element('p', { class: 'hint' }, 'Add a second text to compare them.');
      return { parts: [section(heading, list, hint)], spoken: `One vector with ${width} dimensions.` };
    }
    const pairs = pairsOf(sent, vectors).sort((left, right) => right.value - left.value);
    const sentence = sentenceOf(pairs);
    const matrix = similarityTable(sent, vectors, pairs.at(-1)?.value ?? 0);
    const hint = 'Cosine similarity of the vectors; 1 means the same direction.';
    return {
      parts: [
        section(
          element('h3', {}, 'Similarity'),
          element('p', { class: 'finding' }, sentence),
          matrix,
          element('p', { class: 'hint' }, hint),
        ),
        section(heading, list),
      ],
      spoken: sentence,
    };
  },

  examples: () => [
    {
      name: 'Two close, one far',
      texts: ['The dog barks at the cat', 'A kitten and a puppy sleep', 'The price of the loan went up'],
    },
    {
      name: 'Three topics',
      texts: [
        'The investor borrows from the bank',
        'The price of the loan went up',
        'A storm brings snow and rain',
        'It was cold and windy all week',
        'A nurse works in the hospital',
        'The doctor sees her patients at noon',
      ],
    },
    { name: 'One text', texts: ['A storm brings snow and rain'] },
  ],
};

/** @param {...Node} parts */
const section = (...parts) => element('section', { class: 'result' }, ...parts);

/**
 * @param {readonly { left: number, right: number, value: number }[]} pairs the closest first
 */
function sentenceOf(pairs) {
  const [closest, furthest] = [pairs[0], pairs.at(-1)].map(
    (pair) => `${pair?.left} and ${pair?.right} (${cosineText(pair?.value ?? 0)})`,
  );
  if (pairs.length === 1) return `Texts ${closest}.`;
  return `Most similar: texts ${closest}. Least similar: ${furthest}.`;
}

/**
 * @param {readonly Sent[]} sent
 * @param {readonly number[][]} vectors
 */
function pairsOf(sent, vectors) {
  return sent.flatMap(({ number: left }, row) =>
    sent.slice(row + 1).map(({ number: right }, offset) => ({
      left,
      right,
      value: cosine(vectors[row] ?? [], vectors[row + 1 + offset] ?? []),
    })),
  );
}

/**
 * @param {readonly Sent[]} sent
 * @param {readonly number[][]} vectors
 * @param {number} lowest
 */
function similarityTable(sent, vectors, lowest) {
  // Colors range from the tenth below the lowest value up to 1, so that small differences are visible and tiny ones are not.
  const floor = Math.min(Math.floor(lowest * 10) / 10, 0.9);
  const value = (/** @type {number} */ row, /** @type {number} */ column) =>
    row === column ? 1 : cosine(vectors[row] ?? [], vectors[column] ?? []);
  const title = 'Similarity of the texts';
  if (sent.length > MANY) {
    return heatMap({
      title,
      rows: sent.map(({ number, text }) => `${number} ${text}`),
      columns: sent.map(({ number }) => String(number)),
      cells: sent.map((_, row) => sent.map((__, column) => value(row, column))),
      text: cosineText,
      corner: 'Text',
      min: floor,
      max: 1,
    });
  }
  const rows = sent.map(({ number, text }, row) => [
    numbered(number, text),
    ...sent.map((_, column) => {
      const similarity = value(row, column);
      return withShare(
        element('span', { class: 'cell' }, cosineText(similarity)),
        (similarity - floor) / (1 - floor),
      );
    }),
  ]);
  const columns = ['Text', ...sent.map(({ number }) => String(number))];
  return scrollable(title, table(title, columns, rows, 'matrix'));
}

/**
 * @param {Sent} sent
 * @param {readonly number[]} vector
 */
function vectorItem({ number, text }, vector) {
  const more = vector.length > SHOWN ? ', …' : '';
  const numbers = vector.slice(0, SHOWN).map((value) => value.toFixed(4));
  return element(
    'li',
    { value: number },
    numbered(number, text),
    element('code', {}, `[${numbers.join(', ')}${more}]`),
    copyButton('Copy', `Copy vector ${number}`, () => JSON.stringify(vector)),
  );
}
