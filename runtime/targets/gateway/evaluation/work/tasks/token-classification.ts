import type { Cell, Row } from '../../datasets/dataset.ts';
import { inputError, messageOf } from '#contract/errors.ts';
import { GROUND_TRUTH } from '../../datasets/check-row.ts';
import type { BatchCall, TaggedText } from '../backends/backend.ts';
import { tokenLabels } from '../evaluation/families/token-labels.ts';
import { SPANS } from '../evaluation/families/token-labels.ts';
import { readTags } from '../evaluation/read-tags.ts';
import { type AnsweredRows, isFailure, type RowAnswer, type RowFailure } from '../inference/inference.ts';
import { callBatched } from '../inference/call-batched.ts';
import { textOfRow } from '../inference/text-of-row.ts';
import { labelsOfWords, wordsOf } from '../inference/words.ts';
import type { Task } from './task.ts';
import { checkGroundTruth, checkHasGroundTruth } from './check-ground-truth.ts';

export const tokenClassification: Task = {
  modelTypes: ['token_classification'],
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
    const columns = (at: number, answer: RowAnswer<TaggedText>): RowAnswer<Row> | RowFailure => {
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

const columnsOf = (row: Row, { tokens, spans }: TaggedText, outputField: string): Row => ({
  [outputField]: labelsOfWords(wordsOf(row), tokens),
  [SPANS]: spans.map(({ start, end, label, score }): Cell => ({ start, end, label, score })),
});

function labelsOf(row: Row): readonly string[] {
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
