import type { Context } from 'hono';
import { Type } from 'typebox';
import { AppError } from '#contract/errors.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { wordOf } from '#serve/http/query.ts';
import { oneOf } from '#serve/http/schemas.ts';
import { datasetText, jsonLines } from '../evaluation/datasets/dataset-text.ts';
import type { JobServices } from '../evaluation/jobs/job-services.ts';
import type { Job } from '../evaluation/jobs/job.ts';
import { textAnswer } from './http/answers.ts';

/** Definitions shared by all operations that return a job's rows. */
export const ROWS: Pick<Operation, 'description' | 'answer' | 'otherAnswers'> = {
  description: 'The job can be running, failed or stopped. Failed rows have an `error`.',
  answer: {
    description: 'The rows.',
    mediaType: 'text/csv',
    schema: Type.String(),
    examples: { rows: 'examples,predictions,error\r\nGood,POSITIVE,\r\n' },
  },
  otherAnswers: [
    { mediaType: 'application/jsonl', schema: Type.String(), examples: { rows: '{"examples":"Good"}\n' } },
  ],
};

export const ROWS_FORMAT = {
  name: 'format',
  in: 'query',
  description: 'CSV, or one JSON object per line.',
  example: 'csv',
  schema: oneOf(['csv', 'jsonl'], { default: 'csv' }),
} as const;

/** Responds with the rows that a job has written so far, regardless of its status. */
export async function rowsAnswer(
  c: Context,
  { datasets }: Pick<JobServices, 'datasets'>,
  { id, name, spec, outputId }: Job,
): Promise<Response> {
  if (outputId === null) throw new AppError('NotFoundError', `Job ${id} does not write rows.`);
  const isScores = spec.type === 'evaluation';
  const format = wordOf(c, 'format', ['csv', 'jsonl'], isScores ? 'jsonl' : 'csv');
  if (isScores && format === 'csv') {
    throw new AppError('InputError', `The scores of job ${id} are not available as CSV. Use format=jsonl.`);
  }
  const pieces = isScores
    ? jsonLines(datasets, outputId)
    : datasetText(await datasets.output(outputId), datasets, format);
  const mediaType = format === 'csv' ? 'text/csv; charset=utf-8' : 'application/jsonl';
  return textAnswer(c, pieces, { mediaType, filename: `${name}.${format}` });
}
