import type { Context } from 'hono';
import type { ShellEnv } from '#serve/http/request-id.ts';
import { wordOf } from '#serve/http/query.ts';
import type { GatewayContext } from '../../context.ts';
import { createComparer } from '../../evaluation/compare/comparer.ts';
import { createPlots } from '../../evaluation/plots/cached-plots.ts';
import { findRows, ROW_ORDERS, SHOWN_ROWS } from '../../evaluation/rows/find-rows.ts';
import { createRowIndexes } from '../../evaluation/rows/row-indexes.ts';
import { API, type GatewayRoutes, type HttpParts, newRoutes } from '../http/parts.ts';
import { pageOf } from '../http/lists.ts';
import { viewOf } from '../sign-in/lab-guard.ts';
import { textAnswer } from '../http/answers.ts';
import { RESULT_OPERATIONS } from './operations.ts';
import { reportData } from './report/report-data.ts';
import { reportHtml } from './report/report-html.ts';
import { plotsView, progressView, rowView } from './view.ts';

/** Results of an experiment in more detail than the comparison: rows, plots, and the progress of its jobs. */
export function resultRoutes(
  {
    jobs,
    experiments,
    workflows,
    state,
    clock,
    version,
  }: Pick<GatewayContext, 'jobs' | 'experiments' | 'workflows' | 'state' | 'clock' | 'version'>,
  { labGuard }: Pick<HttpParts, 'labGuard'>,
): GatewayRoutes {
  const indexOf = createRowIndexes(jobs.datasets);
  const plotsOf = createPlots();
  const compare = createComparer({ datasets: jobs.datasets, usage: state.usage });
  const routes = newRoutes();
  const experimentOf = async (c: Context<ShellEnv>) => {
    const experiment = await experiments.get(viewOf(c).viewer, c.req.param('id') ?? '');
    return { experiment, all: await workflows.ofExperiments([experiment.id]) };
  };

  routes.get(`${API}/experiments/:id/rows`, labGuard, async (c) => {
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
    return c.json({ total, items: rows.map((at) => rowView(index, at)) });
  });
  routes.get(`${API}/experiments/:id/plots`, labGuard, async (c) => {
    const { experiment, all } = await experimentOf(c);
    const wanted = { metric: textOf(c, 'metric'), label: textOf(c, 'label') };
    return c.json(plotsView(plotsOf(await indexOf(experiment, all), all, wanted)));
  });
  routes.get(`${API}/experiments/:id/progress`, labGuard, async (c) => {
    const { all } = await experimentOf(c);
    const active = all.flatMap((workflow) => workflow.jobs).filter(({ endedAt }) => endedAt === null);
    return c.json(progressView(all, await jobs.workerProgress(active.map(({ id }) => id))));
  });
  routes.get(`${API}/experiments/:id/report`, labGuard, async (c) => {
    const { experiment, all } = await experimentOf(c);
    const index = await indexOf(experiment, all);
    const plots = plotsOf(index, all, { metric: textOf(c, 'metric'), label: undefined });
    const comparison = await compare(experiment, all, 0);
    const data = reportData({ comparison, plots, index, version, now: clock.now() });
    return textAnswer(c, whole(reportHtml(experiment.name, data)), {
      mediaType: 'text/html; charset=utf-8',
      filename: `${experiment.name}.html`,
    });
  });

  return { routes, operations: RESULT_OPERATIONS };
}

const textOf = (c: Context, name: string): string | undefined => {
  const text = c.req.query(name);
  return text === '' ? undefined : text;
};

async function* whole(text: string): AsyncGenerator<string, void> {
  yield text;
}
