/** @import { Place } from '../start-app.js' */
/** @import { Comparison, Plots, Progress } from './results.js' */
import { confirmAction } from '../components/dialog.js';
import { figures } from '../components/facts.js';
import { failed, loading } from '../components/states.js';
import { element } from '../dom.js';
import { count, duration, money } from '../format.js';
import { changeQuery, linkTo, readRoute } from '../route.js';
import { ServerError } from '../server.js';
import { aboutExperiment } from './about.js';
import { differences } from './differences.js';
import { downloadReport } from './download-report.js';
import { metricMatrix } from './matrix.js';
import { plotGroups } from './plots.js';
import { progressView } from './progress.js';
import { rowTable } from './row-table.js';

/** @import { Session } from '../session.js' */

/** How often the progress of running jobs is read. */
const POLL_MS = 2000;

/**
 * The page of an experiment: progress, comparison, plots and rows.
 * @param {Place} place
 */
export async function showExperiment({ root, params, session, setTitle, navigate, signal }) {
  const id = params['id'] ?? '';
  const path = `api/v1/experiments/${encodeURIComponent(id)}`;
  const compare = async () =>
    (await session.call(`${path}/compare`, { query: { disagreements: 0 }, signal })).data;
  // The first comparison of many rows takes seconds; the page shows what it has meanwhile.
  const comparing = compare();
  const plotting = readPlots({ path, session, signal });
  for (const answer of [comparing, plotting]) answer.catch(() => undefined);
  const [{ data: experiment }, { data: progress }] = await Promise.all([
    session.call(path, { signal }),
    session.call(`${path}/progress`, { signal }),
  ]);
  const about = await aboutExperiment(session, experiment, signal);
  setTitle(experiment.name);
  const live = element('section', { 'aria-label': 'Progress', hidden: !progress.active });
  const results = element('div', { class: 'page' }, loading());
  const figuresPart = element('div');
  drawProgress(live, progress);
  root.append(
    toolbar({ path, name: experiment.name, session, navigate }),
    ...about,
    figuresPart,
    live,
    results,
  );
  const draw = async (
    /** @type {Promise<Comparison>} */ waiting,
    /** @type {Promise<Plots> | undefined} */ plots,
  ) => {
    const comparison = await waiting;
    figuresPart.replaceChildren(summary(comparison));
    drawResults(results, { path, session, comparison, signal }, plots);
  };
  await draw(comparing, plotting);
  if (progress.active) void follow({ path, session, signal, live }, () => draw(compare(), undefined));
}

/**
 * @param {{ path: string, name: string, session: Session, navigate: (href: string) => void }} options
 */
function toolbar({ path, name, session, navigate }) {
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
      words: 'All its models, answers and scores are deleted. Running jobs are stopped.',
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

/** @param {Comparison} comparison */
function summary({ workflows, disagreements }) {
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

/**
 * @param {HTMLElement} node
 * @param {Progress} progress
 */
function drawProgress(node, progress) {
  node.hidden = !progress.active;
  node.replaceChildren(element('h2', {}, 'Progress'), progressView(progress));
}

/**
 * Reads the progress until all jobs have ended.
 * @param {{ path: string, session: Session, signal: AbortSignal, live: HTMLElement }} options
 * @param {() => Promise<void>} onEnded
 */
async function follow({ path, session, signal, live }, onEnded) {
  while (!signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    if (signal.aborted) return;
    try {
      const { data } = await session.call(`${path}/progress`, { signal });
      drawProgress(live, data);
      if (!data.active) return await onEnded();
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ServerError)) throw error;
      live.replaceChildren(element('h2', {}, 'Progress'), failed(error));
    }
  }
}

/**
 * @typedef {{ path: string, session: Session, comparison: Comparison, signal: AbortSignal }} ResultOptions
 */

/**
 * The plots of the metric and the label in the address.
 * @param {Pick<ResultOptions, 'path' | 'session' | 'signal'>} options
 * @returns {Promise<Plots>}
 */
async function readPlots({ path, session, signal }) {
  const { query } = readRoute(location.hash);
  const [metric, label] = [query.get('metric') ?? '', query.get('label') ?? ''];
  return (await session.call(`${path}/plots`, { query: { metric, label }, signal })).data;
}

/**
 * @param {HTMLElement} node
 * @param {ResultOptions} options
 * @param {Promise<Plots>} [reading] plots that are read already
 */
function drawResults(node, options, reading) {
  const { comparison } = options;
  const plots = element('section', { 'aria-label': 'Plots' }, element('h2', {}, 'Plots'), loading());
  const rows = element('section', { 'aria-label': 'All rows' }, element('h2', {}, 'Rows'));
  node.replaceChildren(
    element('section', { 'aria-label': 'Metrics' }, element('h2', {}, 'Metrics'), metricMatrix(comparison)),
    element(
      'section',
      { 'aria-label': 'Differences' },
      element('h2', {}, 'Differences'),
      differences(comparison),
    ),
    plots,
    rows,
  );
  void drawPlots(plots, rows, options, reading);
}

/**
 * @param {HTMLElement} node
 * @param {HTMLElement} rows
 * @param {ResultOptions} options
 * @param {Promise<Plots>} [reading]
 */
async function drawPlots(node, rows, options, reading = readPlots(options)) {
  const { comparison, signal } = options;
  try {
    const data = await reading;
    const draw = (/** @type {Record<string, string>} */ changes) => {
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

/**
 * @param {Plots} plots
 * @param {(changes: Record<string, string>) => void} onChange
 */
function choices({ metrics, metric, labels, label }, onChange) {
  const select = (
    /** @type {string} */ key,
    /** @type {string} */ title,
    /** @type {readonly string[]} */ names,
    /** @type {string | null} */ chosen,
  ) => {
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
    ...select('label', 'Label of the curves', labels, label),
  );
}

/**
 * @param {ResultOptions} options
 * @param {string | null} metric
 */
const allRows = ({ path, session, comparison }, metric) =>
  rowTable({
    workflows: comparison.workflows,
    metric,
    async load({ sort, filters, cursor, limit, signal }) {
      const skip = Number(cursor ?? 0);
      const query = { ...filters, sort, skip, limit, ...(metric === null ? {} : { metric }) };
      const { data } = await session.call(`${path}/rows`, { query, signal });
      const next = skip + data.items.length;
      return { rows: data.items, total: data.total, next: next < data.total ? String(next) : null };
    },
  });
