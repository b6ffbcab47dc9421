/** @import { Model, Sent, Task } from '../tasks/index.js' */
import { piecesOf } from '../entities.js';
import { isMultiLabel, THRESHOLD } from '../tasks/threshold.js';

/** With more labels, a row has only those with the highest scores. */
const MAX_LABELS = 50;

/** @typedef {Record<string, string>} Cells values by the name of their column */

/**
 * The cells that a result adds to the rows of a file.
 * @param {Task} task
 * @param {any} answer
 * @param {readonly Sent[]} sent
 * @param {Model} model
 * @returns {Cells[]}
 */
export function cellsOf({ path }, answer, sent, model) {
  if (path === 'v1/embeddings')
    return answer.data.map((/** @type {any} */ one) => ({ embedding: JSON.stringify(one.embedding) }));
  if (path === 'rerank') {
    const scores = new Map(answer.results.map((/** @type {any} */ one) => [one.index, one.relevance_score]));
    return sent.map((_, at) => ({ relevance_score: String(scores.get(at) ?? '') }));
  }
  return answer.results.map((/** @type {any} */ result, /** @type {number} */ at) =>
    resultCells(result, model, sent[at]?.text ?? ''),
  );
}

/**
 * @param {any} result
 * @param {Model} model
 * @param {string} text
 * @returns {Cells}
 */
function resultCells(result, model, text) {
  if (result.answers)
    return { answer: result.answers[0]?.answer ?? '', score: String(result.answers[0]?.score ?? '') };
  if (result.tokens) return { entities: JSON.stringify(entitiesIn(text, result.tokens)) };
  if (result.entities) return { entities: JSON.stringify(result.entities) };
  if (result.masks) {
    const best = result.masks.map((/** @type {any} */ { candidates }) => candidates[0]);
    return {
      words: best.map((/** @type {any} */ one) => one?.token ?? '').join(' '),
      scores: best.map((/** @type {any} */ one) => one?.score ?? '').join(' '),
    };
  }
  if (result.scores) {
    const labels =
      result.labels ??
      result.scores.map(
        (/** @type {number} */ _, /** @type {number} */ at) => model.id2label?.[at] ?? `Label ${at}`,
      );
    return scoreCells(labels, result.scores, model);
  }
  return { result: JSON.stringify(result.embedding ?? result) };
}

/**
 * @param {readonly string[]} labels
 * @param {readonly number[]} scores
 * @param {Model} model
 * @returns {Cells}
 */
function scoreCells(labels, scores, model) {
  const ranked = labels
    .map((label, at) => ({ label, score: scores[at] ?? 0 }))
    .sort((one, other) => other.score - one.score);
  const chosen = isMultiLabel(model) ? ranked.filter(({ score }) => score >= THRESHOLD) : ranked.slice(0, 1);
  const all =
    labels.length > MAX_LABELS
      ? []
      : labels.map((label, at) => /** @type {const} */ ([`score ${label}`, String(scores[at])]));
  return {
    label: chosen.map(({ label }) => label).join('; '),
    score: chosen.map(({ score }) => score).join('; '),
    ...Object.fromEntries(all),
  };
}

/**
 * @param {string} text
 * @param {readonly import('../entities.js').Token[]} tokens
 */
const entitiesIn = (text, tokens) =>
  piecesOf(text, tokens).flatMap((piece) =>
    piece.type === undefined ? [] : [{ type: piece.type, text: piece.text }],
  );
