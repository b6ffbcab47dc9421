import { Type } from 'typebox';
import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { oneOf } from '#serve/http/schemas.ts';
import { ROW_ORDERS, SHOWN_ROWS } from '../../evaluation/rows/find-rows.ts';
import { EXPERIMENT_ID } from '../experiments/operations.ts';
import { API } from '../http/parts.ts';
import { KEY_ERRORS } from '../http/operations.ts';
import { pageOfList } from '../http/lists.ts';
import { plots, progress, resultRows } from './schemas.ts';

const SHARED = { method: 'get', tag: 'Experiments' } as const;
const EXPERIMENT = `${API}/experiments/{experiment_id}`;
const textParameter = (name: string, description: string, example: string) => ({
  name,
  in: 'query' as const,
  description,
  example,
  schema: Type.String(),
});
const METRIC = textParameter('metric', 'Metric of the scores. Default: the first one.', 'accuracy');

export const RESULT_OPERATIONS: readonly Operation[] = [
  {
    ...SHARED,
    path: `${EXPERIMENT}/rows`,
    id: 'listExperimentRows',
    summary: 'List the rows with the answers, scores and errors of all models, searched and sorted.',
    description:
      'Jobs can be running. At most 200,000 rows are read, and texts are cut after 4,000 characters; the rows of a workflow have all of them.',
    ...pageOfList({
      schema: resultRows,
      example: { total: 0, items: [] },
      parameters: [
        EXPERIMENT_ID,
        textParameter(
          'search',
          'Text in the example, the ground truth or an answer; case is ignored.',
          'refund',
        ),
        {
          name: 'show',
          in: 'query',
          description: 'All rows, those with different answers, or those with an error.',
          example: 'differences',
          schema: oneOf(SHOWN_ROWS, { default: 'all' }),
        },
        {
          name: 'sort',
          in: 'query',
          description:
            'Order: number of the row, length of the text, mean score of the models, difference between their highest and lowest score, or mean latency. `-` reverses it.',
          example: '-spread',
          schema: oneOf(ROW_ORDERS, { default: 'row' }),
        },
        METRIC,
        textParameter('workflow', 'Only this model counts for `sort` and for errors.', ''),
      ],
    }),
  },
  {
    ...SHARED,
    path: `${EXPERIMENT}/plots`,
    id: 'getExperimentPlots',
    summary:
      'Get data for plots: confusion matrices, curves, histograms, and scores against the length of texts.',
    parameters: [
      EXPERIMENT_ID,
      METRIC,
      textParameter(
        'label',
        'Label of the ROC, precision-recall and calibration curves. Default: the second of two labels, else the first.',
        'POSITIVE',
      ),
    ],
    answer: answerOf('Data for plots.', plots, {
      metrics: ['accuracy'],
      metric: 'accuracy',
      labels: [],
      label: null,
      workflows: [],
    }),
    errors: [422, ...KEY_ERRORS],
  },
  {
    ...SHARED,
    path: `${EXPERIMENT}/progress`,
    id: 'getExperimentProgress',
    summary: 'Get the progress of all jobs, with the rows that each worker processes.',
    parameters: [EXPERIMENT_ID],
    answer: answerOf('The progress.', progress, { active: false, workflows: [] }),
    errors: KEY_ERRORS,
  },
  {
    ...SHARED,
    path: `${EXPERIMENT}/report`,
    id: 'getExperimentReport',
    summary: 'Download the results as one HTML file that works without network access.',
    description: 'The file has the comparison, the plots, and up to 1,000 rows with different answers.',
    parameters: [EXPERIMENT_ID, METRIC],
    answer: {
      description: 'The report.',
      mediaType: 'text/html',
      schema: Type.String(),
      examples: { report: '<!doctype html>\n' },
    },
    errors: [422, ...KEY_ERRORS],
  },
];
