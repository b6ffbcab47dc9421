import type { Drawing, Sent, Task } from './task.ts';
import { copyButton } from '#serve/http/pages/browser/copy-button.ts';
import { heatMap } from '#serve/http/pages/browser/charts/heat-map.ts';
import { element, scrollable, withShare } from '#serve/http/pages/browser/dom.ts';
import { cosineText, cosine } from '../numbers.ts';
import { table } from '#serve/http/pages/browser/components/facts.ts';
import { numbered } from './marked-text.ts';
import { type SparseVector, sparseEmbedding } from './sparse-embedding.ts';

/** Number of vector elements to show. */
const SHOWN = 6;
/** With more texts than this, the cells of the matrix are small. */
const MANY = 12;

export interface Embedded {
  readonly embedding: readonly number[];
}

export const embedding: Task<{ readonly data: readonly Embedded[] }> = {
  title: 'Embedding',
  labels: () => [],
  path: 'v1/embeddings',
  body: (texts, { model_id }) => ({ model: model_id, input: texts }),

  draw: (sent, { data }) => drawVectors(sent, data, 'text'),

  examples: () => [
    {
      name: 'Two similar, one different',
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

/** Shows vectors, and the similarity of each pair of them. `noun` is the name of an input. */
export function drawVectors(sent: readonly Sent[], data: readonly Embedded[], noun: string): Drawing {
  const vectors = data.map((item) => item.embedding);
  const width = vectors[0]?.length ?? 0;
  const list = element('ol', { class: 'vectors' });
  list.append(...sent.map((one, at) => vectorItem(one, vectors[at] ?? [])));
  const heading = element('h3', {}, `Vectors with ${width} dimensions`);
  if (sent.length < 2) {
    const hint = element('p', { class: 'hint' }, `Add a second ${noun} to compare the two.`);
    return { parts: [section(heading, list, hint)], spoken: `One vector with ${width} dimensions.` };
  }
  const pairs = pairsOf(sent, vectors).sort((left, right) => right.value - left.value);
  const sentence = sentenceOf(pairs, noun);
  const matrix = similarityTable(sent, vectors, pairs.at(-1)?.value ?? 0, noun);
  const hint = 'Cosine similarity of the vectors; 1 means that the vectors point in the same direction.';
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
}

const section = (...parts: Node[]) => element('section', { class: 'result' }, ...parts);

/** `pairs`: the pairs of texts, most similar first. */
function sentenceOf(pairs: readonly { left: number; right: number; value: number }[], noun: string) {
  const [closest, furthest] = [pairs[0], pairs.at(-1)].map(
    (pair) => `${pair?.left} and ${pair?.right} (${cosineText(pair?.value ?? 0)})`,
  );
  if (pairs.length === 1) return `${capitalized(noun)}s ${closest}.`;
  return `Most similar: ${noun}s ${closest}. Least similar: ${furthest}.`;
}

function pairsOf(sent: readonly Sent[], vectors: readonly (readonly number[])[]) {
  return sent.flatMap(({ number: left }, row) =>
    sent.slice(row + 1).map(({ number: right }, offset) => ({
      left,
      right,
      value: cosine(vectors[row] ?? [], vectors[row + 1 + offset] ?? []),
    })),
  );
}

const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

function similarityTable(
  sent: readonly Sent[],
  vectors: readonly (readonly number[])[],
  lowest: number,
  noun: string,
) {
  // Colors range from the lowest value, rounded down to a tenth, up to 1, so that small differences
  // are visible and tiny ones are not.
  const floor = Math.min(Math.floor(lowest * 10) / 10, 0.9);
  const value = (row: number, column: number) =>
    row === column ? 1 : cosine(vectors[row] ?? [], vectors[column] ?? []);
  const title = `${capitalized(noun)} similarity`;
  if (sent.length > MANY) {
    return heatMap({
      title,
      rows: sent.map(({ number, text }) => `${number} ${text}`),
      columns: sent.map(({ number }) => String(number)),
      cells: sent.map((_, row) => sent.map((__, column) => value(row, column))),
      text: cosineText,
      corner: capitalized(noun),
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
  const columns = [capitalized(noun), ...sent.map(({ number }) => String(number))];
  return scrollable(title, table(title, columns, rows, 'matrix'));
}

function vectorItem({ number, text }: Sent, vector: readonly number[]) {
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

export const sentenceEmbedding: Task<{ readonly results: readonly Embedded[] }> = {
  ...embedding,
  title: 'Sentence embedding',
  path: 'predict',
  body: (texts) => ({ inputs: texts }),
  draw: (sent, { results }, ...others) => embedding.draw(sent, { data: results }, ...others),
};

/**
 * The task of a sentence embedding model that also returns sparse vectors. Shows how similar the
 * texts are, and the weighted words of each text.
 */
export const embeddingOutputs: Task<{
  readonly results: readonly (Embedded & { readonly sparse: SparseVector })[];
}> = {
  ...embedding,
  title: 'Sentence embedding, dense and sparse',
  path: 'predict',
  body: (texts) => ({ inputs: texts, outputs: ['dense', 'sparse'], tokens: true }),
  draw(sent, { results }, ...others) {
    const dense = embedding.draw(sent, { data: results }, ...others);
    const vectors = results.map(({ sparse }) => sparse);
    const sparse = sparseEmbedding.draw(sent, { results: vectors }, ...others);
    return { parts: [...dense.parts, ...sparse.parts], spoken: `${dense.spoken} ${sparse.spoken}` };
  },
};
