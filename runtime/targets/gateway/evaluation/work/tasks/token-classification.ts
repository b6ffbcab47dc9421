import type { DatasetCell, RowCells } from '../../datasets/dataset.ts';
import { inputError, messageOf } from '#contract/errors.ts';
import { GROUND_TRUTH } from '../../datasets/check-row.ts';
import type { BatchCall, TaggedText } from '../backends/backend.ts';
import { tokenLabels, SPANS } from '../evaluation/families/token-labels.ts';
import { readTags } from '../evaluation/read-cells.ts';
import { type AnsweredRows, isFailure, type RowAnswer, type RowFailure } from '../inference/inference.ts';
import { callBatched } from '../inference/call-batched.ts';
import { textOfRow, labelsOfWords, wordsOf } from '../inference/words.ts';
import { type EvaluatedTask, checkGroundTruth, checkHasGroundTruth } from './task.ts';

export const tokenClassification: EvaluatedTask = {
  modelTypes: ['token_classification'],
  call: 'tag',
  hasChat: false,
  defaultPrompt: () => '',
  defaultMetrics: ['span_precision', 'span_recall', 'span_f1', 'token_accuracy'],
  families: [tokenLabels],
  checkColumns: checkHasGroundTruth,
  labelsOf,
  showsAnswers: true,
  columns: ({ outputField }) => [outputField, SPANS],
  async answer(rows, context) {
    const { outputField } = context.spec;
    const tag = context.model.tag as BatchCall<TaggedText>;
    const { answers, sharedTokens }: AnsweredRows<TaggedText> = await callBatched(
      rows.map(textOfRow),
      tag,
      context,
    );
    const columns = (at: number, answer: RowAnswer<TaggedText>): RowAnswer<RowCells> | RowFailure => {
      try {
        return { ...answer, value: columnsOf(rows[at] ?? {}, answer.value, outputField) };
      } catch (error) {
        return { error: messageOf(error), latencyMs: answer.latencyMs };
      }
    };
    return {
      sharedTokens,
      answers: answers.map((answer, at) => (isFailure(answer) ? answer : columns(at, answer))),
    };
  },
};

const columnsOf = (row: RowCells, { tokens, spans }: TaggedText, outputField: string): RowCells => ({
  [outputField]: labelsOfWords(wordsOf(row), tokens),
  [SPANS]: spans.map(({ start, end, label, score }): DatasetCell => ({ start, end, label, score })),
});

function labelsOf(row: RowCells): readonly string[] {
  checkGroundTruth(row);
  const truth = readTags(row[GROUND_TRUTH]);
  if (truth.kind === 'spans') {
    const letters = Array.from(textOfRow(row)).length;
    const beyond = truth.spans.find(({ end }) => end > letters);
    if (beyond === undefined) return truth.spans.map(({ label }) => label);
    throw inputError(`A span ends at ${beyond.end}, but the text has only ${letters} Unicode code points.`);
  }
  const words = wordsOf(row).length;
  if (truth.labels.length === words) return truth.labels;
  throw inputError(
    `\`${GROUND_TRUTH}\` has ${truth.labels.length} labels for ${words} words. Provide one label per space-separated word, list the words in a column \`tokens\`, or use spans.`,
  );
}
