import { embedding } from './embedding.js';
import { embeddingOutputs } from './embedding-outputs.js';
import { multiVector } from './multi-vector.js';
import { questionAnswering } from './question-answering.js';
import { reranking } from './reranking.js';
import { sentenceEmbedding } from './sentence-embedding.js';
import { sparseEmbedding } from './sparse-embedding.js';
import { fillMask } from './fill-mask.js';
import { sequenceClassification } from './sequence-classification.js';
import { tokenClassification } from './token-classification.js';
import { zeroShotClassification } from './zero-shot-classification.js';
import { zeroShotNer } from './zero-shot-ner.js';

/**
 * What the page knows about the model.
 * @typedef {object} Model
 * @property {string} model_id
 * @property {string} model_type
 * @property {Record<string, string>} [id2label]
 * @property {string} [score_function]
 * @property {readonly string[]} [languages]
 * @property {Record<string, string>} [prompts]
 * @property {string} [default_prompt_name]
 * @property {readonly string[]} [outputs]
 * @property {string} [mask_token]
 * @property {string} [license]
 * @property {string} [license_name]
 */

/**
 * A text that was sent, with the number of its box on the page.
 * @typedef {{ number: number, text: string }} Sent
 */

/**
 * What the page does for a model type. Every type has a file with its name.
 * @typedef {object} Task
 * @property {string} title
 * @property {(labels: readonly string[]) => readonly string[]} labels display names of the labels
 * @property {string} path
 * @property {string} [asks] what the texts are compared with: the name of its box
 * @property {string} [offers] an option of requests: the name of its checkbox
 * @property {(texts: readonly string[], model: Model, query: string, isChosen: boolean) => unknown} body
 * @property {(sent: readonly Sent[], answer: any, model: Model, query: string) => Drawing} draw
 * @property {(model: Model) => readonly Example[]} examples texts for which the results of the model differ
 */

/**
 * @typedef {object} Example
 * @property {string} name
 * @property {string} [query]
 * @property {boolean} [option]
 * @property {readonly string[]} texts
 */

/**
 * @typedef {object} Drawing
 * @property {readonly Node[]} parts
 * @property {string} spoken the result in a sentence, for those who listen
 */

/** @type {Record<string, Task>} */
const TASKS = {
  embedding,
  sparse_embedding: sparseEmbedding,
  fill_mask: fillMask,
  sequence_classification: sequenceClassification,
  zero_shot_classification: zeroShotClassification,
  question_answering: questionAnswering,
  token_classification: tokenClassification,
  zero_shot_ner: zeroShotNer,
  sentence_embedding: sentenceEmbedding,
  multi_vector: multiVector,
};

/** @param {Model} model */
export function taskOf({ model_type, id2label, score_function, outputs }) {
  // A model with one label has nothing to choose between: it scores how well two texts match, or it is a regression model.
  const labels = Object.keys(id2label ?? {}).length;
  const isReranker = model_type === 'sequence_classification' && labels === 1 && score_function !== 'none';
  const task = isReranker ? reranking : outputs ? embeddingOutputs : TASKS[model_type];
  if (!task) throw new Error(`unknown model type ${model_type}`);
  return task;
}
