import { badge } from '#serve/http/pages/browser/components/facts.ts';
import { failed } from '#serve/http/pages/browser/components/states.ts';
import { scatterChart } from '#serve/http/pages/browser/components/chart.ts';
import { element, scrollable } from '#serve/http/pages/browser/dom.ts';
import { duration, money } from '#serve/http/pages/browser/format.ts';
import { ServerError } from '#serve/http/pages/browser/server.ts';
import type { Session } from '#serve/http/pages/browser/session.ts';
import { intervalText, metricText } from './results.ts';

type Amount = 'cost' | 'latency' | 'tokens';

/** An API response, as far as the page uses it. */
interface MatrixCell {
  readonly prompt: string;
  readonly model: string;
  readonly value: number | null;
  readonly interval: { readonly low: number; readonly high: number } | null;
  readonly cost_per_row: number | null;
  readonly latency_ms: number | null;
  readonly tokens_per_row: number | null;
  readonly on_frontier: boolean | null;
  readonly frontier_probability: number | null;
}

/** An API response, as far as the page uses it. */
interface Matrix {
  readonly metric: string | null;
  readonly prompts: readonly string[];
  readonly models: readonly string[];
  readonly cells: readonly MatrixCell[];
}

interface MatrixOptions {
  /** The experiment's path. */
  readonly path: string;
  readonly name: string;
  readonly session: Session;
  readonly metric: string | null;
  readonly signal: AbortSignal;
}

/** Fills a section with the table of prompts and models. It stays hidden for experiments with only one prompt. */
export async function drawPromptMatrix(
  node: HTMLElement,
  options: MatrixOptions,
  by: Amount = 'cost',
): Promise<void> {
  const { path, session, metric, signal } = options;
  try {
    const query = { by, ...(metric === null ? {} : { metric }) };
    const { data } = await session.call<Matrix>(`${path}/matrix`, { query, signal });
    node.hidden = data.prompts.length < 2;
    if (node.hidden) return;
    node.replaceChildren(
      element('h2', {}, 'Prompts and models'),
      controls(options, by, (chosen) => void drawPromptMatrix(node, options, chosen)),
      matrixTable(data),
      ...frontierChart(data, by),
    );
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof ServerError)) throw error;
    node.hidden = false;
    const retry = () => void drawPromptMatrix(node, options, by);
    node.replaceChildren(element('h2', {}, 'Prompts and models'), failed(error, retry));
  }
}

const AMOUNTS: Readonly<Record<Amount, { readonly title: string; readonly unit: string }>> = {
  cost: { title: 'Cost of 1,000 rows', unit: 'USD' },
  latency: { title: 'Latency (median)', unit: 'ms' },
  tokens: { title: 'Tokens per row', unit: '' },
};

function amountOf(cell: MatrixCell, by: Amount): number | null {
  if (by === 'latency') return cell.latency_ms;
  if (by === 'tokens') return cell.tokens_per_row;
  return cell.cost_per_row === null ? null : cell.cost_per_row * 1000;
}

function controls(options: MatrixOptions, by: Amount, onChange: (by: Amount) => void) {
  const select = element(
    'select',
    { id: 'matrix-by' },
    ...Object.entries(AMOUNTS).map(([value, { title }]) =>
      element('option', { value, selected: value === by }, title),
    ),
  );
  select.addEventListener('change', () => onChange(select.value as Amount));
  const download = element('button', { type: 'button' }, 'Download plot');
  const problem = element('div', { role: 'alert' });
  download.addEventListener('click', () => {
    problem.replaceChildren();
    downloadPlot(options, by).catch((error) => problem.replaceChildren(failed(error)));
  });
  return element(
    'div',
    {},
    element(
      'div',
      { class: 'filters' },
      element(
        'p',
        { class: 'filter' },
        element('label', { for: select.id }, 'Weigh quality against'),
        select,
      ),
      download,
    ),
    problem,
  );
}

function matrixTable({ metric, prompts, models, cells }: Matrix) {
  const caption = `${metric ?? 'Metric'} by prompt and model`;
  const head = element(
    'tr',
    {},
    element('th', { scope: 'col' }, 'Prompt'),
    ...models.map((model) => element('th', { scope: 'col', class: 'numeric' }, model)),
  );
  const rows = prompts.map((prompt) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, prompt),
      ...models.map((model) => tableCell(cells.find((one) => one.prompt === prompt && one.model === model))),
    ),
  );
  return scrollable(
    caption,
    element(
      'table',
      { class: 'data matrix' },
      element('caption', { class: 'unseen' }, caption),
      element('thead', {}, head),
      element('tbody', {}, ...rows),
    ),
  );
}

function tableCell(cell: MatrixCell | undefined) {
  if (!cell || cell.value === null) return element('td', { class: 'numeric' }, '–');
  const { value, interval, cost_per_row: cost, latency_ms: latency } = cell;
  const amounts = [
    ...(cost === null ? [] : [`${money(cost * 1000)} for 1,000 rows`]),
    ...(latency === null ? [] : [duration(latency)]),
  ];
  return element(
    'td',
    { class: 'numeric' },
    element('strong', {}, metricText(value)),
    ...(interval ? [element('span', { class: 'hint' }, intervalText(interval))] : []),
    ...amounts.map((text) => element('span', { class: 'hint' }, text)),
    ...(cell.on_frontier === true ? [badge(frontierText(cell), 'good')] : []),
  );
}

const frontierText = ({ frontier_probability: share }: MatrixCell) =>
  share === null ? 'on the frontier' : `on the frontier (${Math.round(share * 100)}%)`;

function frontierChart({ metric, cells }: Matrix, by: Amount) {
  const points = cells.flatMap((cell) => {
    const x = amountOf(cell, by);
    if (x === null || cell.value === null) return [];
    const series = cell.on_frontier === true ? 'On the frontier' : 'Others';
    return [{ name: `${cell.model} (${cell.prompt})`, x, y: cell.value, series }];
  });
  if (points.length === 0) return [];
  const { title, unit } = AMOUNTS[by];
  const quality = metric ?? 'Metric';
  return [
    scatterChart({
      title: `${quality} against ${title.toLowerCase()}`,
      x: { title, unit },
      y: { title: quality },
      points,
      summary: 'No other prompt and model is both better and cheaper than one on the frontier.',
    }),
  ];
}

/** A link cannot be used, because the browser would not send the API key. */
async function downloadPlot({ path, name, session, metric }: MatrixOptions, by: Amount) {
  const query = new URLSearchParams({ by, format: 'svg', ...(metric === null ? {} : { metric }) });
  const response = await session.open(`${path}/matrix?${query.toString()}`);
  const address = URL.createObjectURL(await response.blob());
  element('a', { href: address, download: `${name}.svg` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
