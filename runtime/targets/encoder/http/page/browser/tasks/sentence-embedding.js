/** @import { Task } from './index.js' */
import { embedding } from './embedding.js';

/** @type {Task} */
export const sentenceEmbedding = {
  ...embedding,
  title: 'Sentence embedding',
  path: 'predict',
  body: (texts) => ({ inputs: texts }),
  draw: (sent, { results }, ...others) => embedding.draw(sent, { data: results }, ...others),
};
