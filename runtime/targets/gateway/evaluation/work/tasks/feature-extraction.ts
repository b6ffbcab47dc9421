import { inputError } from '#contract/errors.ts';
import { cosine } from '../../metrics/embeddings/similarity.ts';
import { retrievalRow } from '../../metrics/embeddings/retrieval.ts';
import type { RowCells } from '../../datasets/dataset.ts';
import { GROUND_TRUTH, isEmptyCell } from '../../datasets/check-row.ts';
import type { BatchCall } from '../backends/backend.ts';
import {
  CANDIDATE_SCORES,
  candidatesOf,
  readGains,
  REFERENCE,
  retrievalFamily,
} from '../evaluation/families/retrieval.ts';
import { readGold, REFERENCE_VECTOR, similarityFamily } from '../evaluation/families/similarity.ts';
import { isFailure, type RowAnswer, type RowFailure } from '../inference/inference.ts';
import { callBatched } from '../inference/call-batched.ts';
import { textOfRow } from '../inference/words.ts';
import { cellText } from '../evaluation/read-cells.ts';
import type { EvaluatedTask } from './task.ts';

const COSINE = 'cosine';
type Numbers = readonly number[];

export const featureExtraction: EvaluatedTask = {
  modelTypes: ['embedding', 'sentence_embedding'],
  call: 'embed',
  hasChat: false,
  defaultPrompt: () => '',
  defaultMetrics: ['cosine', 'pearson', 'spearman', 'recall_at_k', 'mrr', 'ndcg'],
  families: [similarityFamily, retrievalFamily],
  checkColumns(columns) {
    if (columns.includes(REFERENCE) || columns.includes('candidates')) return;
    throw inputError(
      `The dataset must have a column \`${REFERENCE}\` with texts to compare, or \`candidates\` with lists of texts to search.`,
    );
  },
  labelsOf(row) {
    checkRow(row);
    return [];
  },
  showsAnswers: false,
  columns: ({ outputField }) => [outputField, REFERENCE_VECTOR, COSINE, CANDIDATE_SCORES],
  inputsOf,
  async answer(rows, context) {
    const embed = context.model.embed as BatchCall<Numbers>;
    const texts = rows.map(inputsOf);
    const { answers, sharedTokens } = await callBatched(texts.flat(), embed, context);
    let from = 0;
    return {
      sharedTokens,
      answers: rows.map((row, at) => {
        const ofRow = answers.slice(from, (from += texts[at]?.length ?? 0));
        return answerOf(row, ofRow, context.spec.outputField);
      }),
    };
  },
};

const referenceOf = (row: RowCells): readonly string[] =>
  isEmptyCell(row[REFERENCE]) ? [] : [cellText(row[REFERENCE])];

/** A row's texts or images, each of which gets a vector. */
function inputsOf(row: RowCells): readonly string[] {
  return [textOfRow(row), ...referenceOf(row), ...candidatesOf(row)];
}

function answerOf(
  row: RowCells,
  answers: readonly (RowAnswer<Numbers> | RowFailure)[],
  outputField: string,
): RowAnswer<RowCells> | RowFailure {
  const latencyMs = answers.reduce((sum, answer) => sum + answer.latencyMs, 0);
  const failed = answers.find(isFailure);
  if (failed) return { error: failed.error, latencyMs };
  const [vector = [], ...others] = answers.map((answer) => (isFailure(answer) ? [] : answer.value));
  const references = referenceOf(row).length;
  const [reference] = others.slice(0, references);
  const candidates = others.slice(references);
  const similar: RowCells = reference
    ? { [REFERENCE_VECTOR]: reference, [COSINE]: cosine(vector, reference) }
    : {};
  const found: RowCells =
    candidates.length === 0
      ? {}
      : { [CANDIDATE_SCORES]: retrievalRow(vector, candidates, new Set()).prediction };
  return { value: { [outputField]: vector, ...similar, ...found }, latencyMs };
}

function checkRow(row: RowCells): void {
  const candidates = candidatesOf(row);
  if (candidates.length > 0) readGains(row[GROUND_TRUTH], candidates.length);
  else if (!isEmptyCell(row[GROUND_TRUTH])) readGold(row[GROUND_TRUTH]);
  if (candidates.length === 0 && isEmptyCell(row[REFERENCE]))
    throw inputError(`\`${REFERENCE}\` and \`candidates\` are both missing.`);
}
