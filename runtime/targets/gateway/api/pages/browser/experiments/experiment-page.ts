import type { Static } from 'typebox';
import type { experiment } from '#gateway/api/experiments-schemas.ts';
import type { Place } from '#serve/http/pages/browser/start-app.ts';
import type { Comparison, Plots, Progress, ResultRow } from './results.ts';
import type { Session } from '#serve/http/pages/browser/session.ts';
import { confirmAction } from '#serve/http/pages/browser/components/dialog.ts';
import { figures } from '#serve/http/pages/browser/components/facts.ts';
import { failed, loading } from '#serve/http/pages/browser/components/states.ts';
import { element } from '#serve/http/pages/browser/dom.ts';
import { count, duration, money } from '#serve/http/pages/browser/format.ts';
import { changeQuery, linkTo, readRoute } from '#serve/http/pages/browser/route.ts';
import { ServerError } from '#serve/http/pages/browser/server.ts';
import { aboutExperiment } from './about.ts';
import { differences } from './differences.ts';
import { metricMatrix } from './matrix.ts';
import { drawPromptMatrix } from './prompt-matrix.ts';
import { plotGroups } from './plots.ts';
import { progressView } from './progress.ts';
import { rowTable } from './row-table.ts';

/** Interval at which the progress of running jobs is requested. */
const POLL_MS = 2000;

/** An experiment's page: progress, comparison, plots and rows. */
export async function showExperiment({ root, params, session, setTitle, navigate, signal }: Place) {
  const id = params['id'] ?? '';
  const path = `api/v1/experiments/${encodeURIComponent(id)}`;
  const compare = async () =>
    (await session.call<Comparison>(`${path}/compare`, { query: { disagreements: 0 }, signal })).data;
  // The first comparison of many rows takes seconds. In the meantime, the page shows what has already been
  // loaded.
  const comparing = compare();
  const plotting = readPlots({ path, session, signal });
  for (const answer of [comparing, plotting]) answer.catch(() => undefined);
  const [{ data: shown }, { data: progress }] = await Promise.all([
    session.call<Static<typeof experiment>>(path, { signal }),
    session.call<Progress>(`${path}/progress`, { signal }),
  ]);
  const about = await aboutExperiment(session, shown, signal);
  setTitle(shown.name);
  const live = element('section', { 'aria-label': 'Progress', hidden: !progress.active });
  const results = element('div', { class: 'page' }, loading());
  const figuresPart = element('div');
  drawProgress(live, progress);
  root.append(toolbar({ path, name: shown.name, session, navigate }), ...about, figuresPart, live, results);
  const draw = async (waiting: Promise<Comparison>, plots: Promise<Plots> | undefined) => {
    const comparison = await waiting;
    figuresPart.replaceChildren(summary(comparison));
    drawResults(results, { path, session, comparison, signal }, plots);
  };
  await draw(comparing, plotting);
  if (progress.active) void follow({ path, session, signal, live }, () => draw(compare(), undefined));
}

function toolbar({
  path,
  name,
  session,
  navigate,
}: {
  path: string;
  name: string;
  session: Session;
  navigate: (href: string) => void;
}) {
  const problem = element('div', { role: 'alert' });
  const report = element('button', { type: 'button' }, 'Download report');
  report.addEventListener('click', () => {
    problem.replaceChildren();
    report.disabled = true;
    downloadReport(session, path, name)
      .catch((error) => problem.replaceChildren(failed(error)))
      .finally(() => {
        report.disabled = false;
      });
  });
  const remove = element('button', { type: 'button', class: 'quiet' }, 'Delete');
  const confirmDelete = async () => {
    const isDeleted = await confirmAction({
      title: `Delete ${name}?`,
      words: 'All models, responses and scores in the experiment are deleted. Running jobs are stopped.',
      action: {
        name: 'Delete experiment',
        kind: 'danger',
        run: () => session.call(path, { method: 'DELETE' }),
      },
    });
    if (isDeleted) navigate(linkTo(['experiments']));
  };
  remove.addEventListener('click', () => void confirmDelete());
  return element('div', {}, element('div', { class: 'toolbar' }, report, remove), problem);
}

function summary({ workflows, disagreements }: Comparison) {
  const finished = workflows.filter(({ status }) => status === 'succeeded').length;
  const costs = workflows.flatMap(({ cost }) => (cost === null ? [] : [cost]));
  const fastest = Math.min(...workflows.flatMap(({ latency_ms: latency }) => latency?.p50 ?? []));
  return figures([
    { name: 'Models finished', value: `${finished} of ${workflows.length}` },
    { name: 'Rows', value: count(Math.max(0, ...workflows.map(({ rows }) => rows))) },
    ...(disagreements === null
      ? []
      : [{ name: 'Rows with different answers', value: count(disagreements.total) }]),
    ...(costs.length === 0
      ? []
      : [{ name: 'Cost', value: money(costs.reduce((sum, cost) => sum + cost, 0)) }]),
    ...(Number.isFinite(fastest) ? [{ name: 'Fastest median', value: duration(fastest) }] : []),
  ]);
}

function drawProgress(node: HTMLElement, progress: Progress) {
  node.hidden = !progress.active;
  node.replaceChildren(element('h2', {}, 'Progress'), progressView(progress));
}

/** Requests the progress until all jobs have ended. */
async function follow(
  { path, session, signal, live }: { path: string; session: Session; signal: AbortSignal; live: HTMLElement },
  onEnded: () => Promise<void>,
) {
  while (!signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    if (signal.aborted) return;
    try {
      const { data } = await session.call<Progress>(`${path}/progress`, { signal });
      drawProgress(live, data);
      if (!data.active) return await onEnded();
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ServerError)) throw error;
      live.replaceChildren(element('h2', {}, 'Progress'), failed(error));
    }
  }
}

interface ResultOptions {
  readonly path: string;
  readonly session: Session;
  readonly comparison: Comparison;
  readonly signal: AbortSignal;
}

/** The plots for the metric and label specified in the page's URL. */
async function readPlots({
  path,
  session,
  signal,
}: Pick<ResultOptions, 'path' | 'session' | 'signal'>): Promise<Plots> {
  const { query } = readRoute(location.hash);
  const [metric, label] = [query.get('metric') ?? '', query.get('label') ?? ''];
  return (await session.call<Plots>(`${path}/plots`, { query: { metric, label }, signal })).data;
}

/** `reading`: plots that were already requested. */
function drawResults(node: HTMLElement, options: ResultOptions, reading?: Promise<Plots>) {
  const { comparison } = options;
  const plots = element('section', { 'aria-label': 'Plots' }, element('h2', {}, 'Plots'), loading());
  const rows = element('section', { 'aria-label': 'All rows' }, element('h2', {}, 'Rows'));
  const prompts = element('section', { 'aria-label': 'Prompts and models', hidden: true });
  node.replaceChildren(
    element('section', { 'aria-label': 'Metrics' }, element('h2', {}, 'Metrics'), metricMatrix(comparison)),
    element(
      'section',
      { 'aria-label': 'Differences' },
      element('h2', {}, 'Differences'),
      differences(comparison),
    ),
    prompts,
    plots,
    rows,
  );
  void drawPlots(plots, rows, options, reading);
  if (comparison.workflows.length > 1) {
    const { path, session, signal } = options;
    const metric = readRoute(location.hash).query.get('metric');
    const { name } = comparison.experiment;
    void drawPromptMatrix(prompts, { path, name, session, metric, signal });
  }
}

async function drawPlots(
  node: HTMLElement,
  rows: HTMLElement,
  options: ResultOptions,
  reading: Promise<Plots> = readPlots(options),
) {
  const { comparison, signal } = options;
  try {
    const data = await reading;
    const draw = (changes: Record<string, string>) => {
      changeQuery(changes, { replace: true });
      void drawPlots(node, rows, options);
    };
    node.replaceChildren(element('h2', {}, 'Plots'), choices(data, draw), ...plotGroups(comparison, data));
    rows.replaceChildren(element('h2', {}, 'Rows'), allRows(options, data.metric));
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof ServerError)) throw error;
    const retry = () => void drawPlots(node, rows, options);
    node.replaceChildren(element('h2', {}, 'Plots'), failed(error, retry));
  }
}

function choices(
  { metrics, metric, labels, label }: Plots,
  onChange: (changes: Record<string, string>) => void,
) {
  const select = (key: string, title: string, names: readonly string[], chosen: string | null) => {
    if (names.length < 2) return [];
    const field = element(
      'select',
      { id: `plots-${key}` },
      ...names.map((name) => element('option', { value: name, selected: name === chosen }, name)),
    );
    field.addEventListener('change', () => onChange({ [key]: field.value }));
    return [element('p', { class: 'filter' }, element('label', { for: field.id }, title), field)];
  };
  return element(
    'div',
    { class: 'filters' },
    ...select('metric', 'Metric', metrics, metric),
    ...select('label', 'Label for the curves', labels, label),
  );
}

const allRows = ({ path, session, comparison }: ResultOptions, metric: string | null) =>
  rowTable({
    workflows: comparison.workflows,
    task: comparison.experiment.task_definition.task,
    metric,
    async load({ sort, filters, cursor, limit, signal }) {
      const skip = Number(cursor ?? 0);
      const query = { ...filters, sort, skip, limit, ...(metric === null ? {} : { metric }) };
      const { data } = await session.call<{ readonly items: readonly ResultRow[]; readonly total: number }>(
        `${path}/rows`,
        { query, signal },
      );
      const next = skip + data.items.length;
      return { rows: data.items, total: data.total, next: next < data.total ? String(next) : null };
    },
  });

/**
 * Downloads an experiment's report. A link cannot be used, because the browser would not send the API key.
 * `path`: the experiment's path.
 */
async function downloadReport(session: Session, path: string, name: string) {
  const response = await session.open(`${path}/report`);
  const address = URL.createObjectURL(await response.blob());
  element('a', { href: address, download: `${name}.html` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
