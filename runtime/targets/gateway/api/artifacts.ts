import { Type } from 'typebox';
import { AppError } from '#contract/errors.ts';
import { answerOf } from '#serve/http/openapi/describe.ts';
import { OPEN, type Route } from '#serve/http/route.ts';
import { anyObject } from '#serve/http/schemas.ts';
import type { GatewayContext } from '../context.ts';
import { datasetText, jsonLines } from '../evaluation/datasets/dataset-text.ts';
import { datasetParquet } from '../evaluation/datasets/write/parquet.ts';
import { compiledResults } from '../evaluation/workflows/compiled-results.ts';
import { KEY_ERRORS } from './guards.ts';
import { bytesAnswer, textAnswer } from './http/answers.ts';
import { API, type HttpParts } from './http/parts.ts';

/** `/api/v1/artifacts`: results and rows of jobs, for clients with a signed URL. */
export function artifactRoutes(
  { jobs, workflows }: Pick<GatewayContext, 'jobs' | 'workflows'>,
  { route }: Pick<HttpParts, 'route'>,
): readonly Route[] {
  const { artifacts, datasets, queue } = jobs;

  return [
    route({
      method: 'get',
      path: `${API}/artifacts/:file`,
      guard: OPEN,
      id: 'getArtifact',
      tag: 'Artifacts',
      summary: 'Download the results of a workflow, or the rows of a dataset.',
      description:
        'Other endpoints return this URL. It is signed, requires no credentials, and is valid for one hour.',
      parameters: [
        { name: 'file', description: 'Name of the artifact.', example: '0d1f7c2e5b.json' },
        {
          name: 'expires',
          in: 'query',
          required: true,
          description: 'Expiry as a Unix timestamp.',
          example: '1767225600',
        },
        { name: 'sig', in: 'query', required: true, description: 'Signature of the URL.', example: 'abc' },
      ],
      answer: answerOf(
        'The results.',
        anyObject('An object with `metrics`, `parameters`, `details` and `artifacts`.'),
        {
          metrics: { accuracy: 0.91 },
          parameters: {},
          details: {},
          artifacts: {
            model: 'encoder',
            examples: ['Good'],
            ground_truth: ['POSITIVE'],
            predictions: ['POSITIVE'],
          },
        },
      ),
      otherAnswers: [
        { mediaType: 'text/csv', schema: Type.String(), examples: { rows: 'examples\r\nGood\r\n' } },
        {
          mediaType: 'application/jsonl',
          schema: Type.String(),
          examples: { rows: '{"examples":"Good"}\n' },
        },
        { mediaType: PARQUET, schema: Type.String({ format: 'binary' }), examples: { rows: 'PAR1' } },
      ],
      errors: KEY_ERRORS,
      run: async (c) => {
        const file = c.req.param('file');
        await artifacts.check(file, c.req.query('expires'), c.req.query('sig'));
        const [, id = '', extension = ''] = /^([\w-]+)\.(json|csv|jsonl|parquet|scores)$/.exec(file) ?? [];
        if (extension === 'json') {
          const workflow = await workflows.get('everyone', id);
          if (workflow.status !== 'succeeded') throw noArtifact(file);
          return textAnswer(c, compiledResults(workflow, datasets), {
            mediaType: 'application/json',
            filename: `${workflow.name}.json`,
          });
        }
        if (extension === 'scores') {
          const { outputId, name } = await queue.get('everyone', id);
          return textAnswer(c, jsonLines(datasets, outputId ?? ''), {
            mediaType: 'application/jsonl',
            filename: `${name}.jsonl`,
          });
        }
        if (extension !== 'csv' && extension !== 'jsonl' && extension !== 'parquet') throw noArtifact(file);
        const dataset = await datasets.get('everyone', id);
        const filename = `${dataset.filename.replace(/\.[^.]*$/, '')}.${extension}`;
        if (extension === 'parquet')
          return bytesAnswer(c, datasetParquet(dataset, datasets), { mediaType: PARQUET, filename });
        return textAnswer(c, datasetText(dataset, datasets, extension), {
          mediaType: extension === 'csv' ? 'text/csv; charset=utf-8' : 'application/jsonl',
          filename,
        });
      },
    }),
  ];
}

const PARQUET = 'application/vnd.apache.parquet';

const noArtifact = (file: string): AppError => new AppError('NotFoundError', `Artifact ${file} not found.`);
