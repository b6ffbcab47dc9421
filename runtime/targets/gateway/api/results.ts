import type { Context } from 'hono';
import { Type } from 'typebox';
import { answerOf } from '#serve/http/openapi/describe.ts';
import { wordOf } from '#serve/http/query.ts';
import type { ShellEnv } from '#serve/http/request-state.ts';
import type { Route } from '#serve/http/route.ts';
import { oneOf } from '#serve/http/schemas.ts';
import type { GatewayContext } from '../context.ts';
import { createComparer } from '../evaluation/compare/comparer.ts';
import { createPlots } from '../evaluation/plots/cached-plots.ts';
import { ROW_ORDERS, SHOWN_ROWS, findRows } from '../evaluation/rows/find-rows.ts';
import { createRowIndexes } from '../evaluation/rows/row-indexes.ts';
import { EXPERIMENT_ID } from './experiments.ts';
import { viewOf } from './guards.ts';
import { textAnswer } from './http/answers.ts';
import { pageOfList, pageOf } from './http/lists.ts';
import { API, type HttpParts } from './http/parts.ts';
import { plots, progress, resultRows } from './results-schemas.ts';
import { plotsView, progressView, rowView } from './results-views.ts';
import { reportData } from './results/report/report-data.ts';
import { reportHtml } from './results/report/report-html.ts';

const SHARED = { tag: 'Experiments' } as const;
const textParameter = (name: string, description: string, example: string) => ({
  name,
  in: 'query' as const,
  description,
  example,
  schema: Type.String(),
});
const METRIC = textParameter('metric', 'Metric for the scores. Default: the first one.', 'accuracy');

/** An experiment's results in more detail than the comparison: rows, plots, and the progress of its jobs. */
export function resultRoutes(
  {
    jobs,
    experiments,
    workflows,
    state,
    clock,
    version,
  }: Pick<GatewayContext, 'jobs' | 'experiments' | 'workflows' | 'state' | 'clock' | 'version'>,
  { guards, route }: HttpParts,
): readonly Route[] {
  const indexOf = createRowIndexes(jobs.datasets);
  const plotsOf = createPlots();
  const compare = createComparer({ datasets: jobs.datasets, usage: state.usage });

  const experimentOf = async (c: Context<ShellEnv>) => {
    const experiment = await experiments.get(viewOf(c).viewer, c.req.param('id') ?? '');
    return { experiment, all: await workflows.ofExperiments([experiment.id]) };
  };

  return [
    route({
      method: 'get',
      path: `${API}/experiments/:id/rows`,
      guard: guards.evaluation,
      ...SHARED,
      id: 'listExperimentRows',
      summary: 'List rows with the responses, scores and errors of all models, with search and sorting.',
      description:
        'The jobs can still be running. At most 200,000 rows are read, and texts are truncated after 4,000 characters; the rows of a workflow contain the full texts.',
      ...pageOfList({
        schema: resultRows,
        example: { total: 0, items: [] },
        parameters: [
          EXPERIMENT_ID,
          textParameter(
            'search',
            'Text to search for in examples, ground truths and responses, case-insensitively.',
            'refund',
          ),
          {
            name: 'show',
            in: 'query',
            description:
              'Which rows to return: all rows, only rows where the responses differ, or only rows with an error.',
            example: 'differences',
            schema: oneOf(SHOWN_ROWS, { default: 'all' }),
          },
          {
            name: 'sort',
            in: 'query',
            description:
              'Sort order: row number, text length, mean score over the models, difference between their highest and lowest score, or mean latency. `-` reverses it.',
            example: '-spread',
            schema: oneOf(ROW_ORDERS, { default: 'row' }),
          },
          METRIC,
          textParameter('workflow', 'Only consider this model for `sort` and for errors.', ''),
        ],
      }),
      run: async (c) => {
        const query = {
          ...pageOf(c),
          search: c.req.query('search') ?? '',
          show: wordOf(c, 'show', SHOWN_ROWS, 'all'),
          sort: wordOf(c, 'sort', ROW_ORDERS, 'row'),
          metric: textOf(c, 'metric'),
          workflowId: textOf(c, 'workflow'),
        };
        const { experiment, all } = await experimentOf(c);
        const index = await indexOf(experiment, all);
        const { total, rows } = findRows(index, query);
        return { total, items: rows.map((at) => rowView(index, at)) };
      },
    }),
    route({
      method: 'get',
      path: `${API}/experiments/:id/plots`,
      guard: guards.evaluation,
      ...SHARED,
      id: 'getExperimentPlots',
      summary: 'Get data for plots: confusion matrices, curves, histograms, and scores by text length.',
      parameters: [
        EXPERIMENT_ID,
        METRIC,
        textParameter(
          'label',
          'Label for the ROC, precision-recall and calibration curves. Default: the second of two labels, otherwise the first.',
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
      errors: [422],
      run: async (c) => {
        const { experiment, all } = await experimentOf(c);
        const wanted = { metric: textOf(c, 'metric'), label: textOf(c, 'label') };
        return plotsView(plotsOf(await indexOf(experiment, all), all, wanted));
      },
    }),
    route({
      method: 'get',
      path: `${API}/experiments/:id/progress`,
      guard: guards.evaluation,
      ...SHARED,
      id: 'getExperimentProgress',
      summary: 'Get the progress of all jobs, with the rows that each worker processes.',
      parameters: [EXPERIMENT_ID],
      answer: answerOf('The progress.', progress, { active: false, workflows: [] }),
      run: async (c) => {
        const { all } = await experimentOf(c);
        const active = all.flatMap((workflow) => workflow.jobs).filter(({ endedAt }) => endedAt === null);
        return progressView(all, await jobs.workerProgress(active.map(({ id }) => id)));
      },
    }),
    route({
      method: 'get',
      path: `${API}/experiments/:id/report`,
      guard: guards.evaluation,
      ...SHARED,
      id: 'getExperimentReport',
      summary: 'Download the results as one HTML file that works without network access.',
      description:
        'The file contains the comparison, the plots, and up to 1,000 rows where the responses differ.',
      parameters: [EXPERIMENT_ID, METRIC],
      answer: {
        description: 'The report.',
        mediaType: 'text/html',
        schema: Type.String(),
        examples: { report: '<!doctype html>\n' },
      },
      errors: [422],
      run: async (c) => {
        const { experiment, all } = await experimentOf(c);
        const index = await indexOf(experiment, all);
        const plots = plotsOf(index, all, { metric: textOf(c, 'metric'), label: undefined });
        const comparison = await compare(experiment, all, 0);
        const data = reportData({ comparison, plots, index, version, now: clock.now() });
        return textAnswer(c, whole(reportHtml(experiment.name, data)), {
          mediaType: 'text/html; charset=utf-8',
          filename: `${experiment.name}.html`,
        });
      },
    }),
  ];
}

const textOf = (c: Context, name: string): string | undefined => {
  const text = c.req.query(name);
  return text === '' ? undefined : text;
};

async function* whole(text: string): AsyncGenerator<string, void> {
  yield text;
}
