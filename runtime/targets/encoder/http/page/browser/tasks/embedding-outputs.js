/** @import { Task } from './index.js' */
import { embedding } from './embedding.js';
import { sparseEmbedding } from './sparse-embedding.js';

/**
 * Task of a sentence embedding model that also returns sparse vectors: the similarity of the texts, and the words of each.
 * @type {Task}
 */
export const embeddingOutputs = {
  ...embedding,
  title: 'Sentence embedding, dense and sparse',
  path: 'predict',
  body: (texts) => ({ inputs: texts, outputs: ['dense', 'sparse'], tokens: true }),
  draw(sent, { results }, ...others) {
    const dense = embedding.draw(sent, { data: results }, ...others);
    const vectors = results.map((/** @type {{ sparse: object }} */ { sparse }) => sparse);
    const sparse = sparseEmbedding.draw(sent, { results: vectors }, ...others);
    return { parts: [...dense.parts, ...sparse.parts], spoken: `${dense.spoken} ${sparse.spoken}` };
  },
};
