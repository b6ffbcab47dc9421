import type { Context } from 'hono';
import { AppError } from '#contract/errors.ts';
import { wordOf } from '#serve/http/query.ts';
import { datasetText, jsonLines } from '../../evaluation/datasets/dataset-text.ts';
import type { Job } from '../../evaluation/jobs/job.ts';
import type { JobServices } from '../../evaluation/jobs/job-services.ts';
import { textAnswer } from '../http/answers.ts';

/** Answers with the rows that a job has written so far, whatever its status is. */
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
