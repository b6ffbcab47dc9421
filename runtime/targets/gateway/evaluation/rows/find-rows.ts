import { AppError } from '#contract/errors.ts';
import { sortedOrder } from '../metrics/sorted-order.ts';
import type { ListPage } from '../../store/page.ts';
import type { IndexedModel, RowIndex } from './row-index.ts';

export const SHOWN_ROWS = ['all', 'differences', 'errors'] as const;
export const ROW_ORDERS = [
  'row',
  '-row',
  'length',
  '-length',
  'score',
  '-score',
  'spread',
  '-spread',
  'latency',
  '-latency',
] as const;

export interface RowQuery extends ListPage {
  /** Text to find in the example, the ground truth or a response; case is ignored. */
  readonly search: string;
  readonly show: (typeof SHOWN_ROWS)[number];
  readonly sort: (typeof ROW_ORDERS)[number];
  /** Metric for sorting by score or spread. Undefined: the first one. */
  readonly metric: string | undefined;
  /**
   * Model for sorting by score or latency, and for filtering rows with errors. Undefined: the mean over
   * models, or any model.
   */
  readonly workflowId: string | undefined;
}

interface FoundRows {
  readonly total: number;
  /** Indexes of the rows on the page. */
  readonly rows: readonly number[];
}

/** Finds a page of rows. */
export function findRows(index: RowIndex, query: RowQuery): FoundRows {
  const models = query.workflowId === undefined ? index.models : [modelOf(index.models, query.workflowId)];
  const metric = chosenMetric(index, query.metric);
  const search = query.search.toLowerCase();
  const rowAt = orderOf(index, query.sort, models, metric);
  const rows: number[] = [];
  let total = 0;
  for (let place = 0; place < index.size; place += 1) {
    const at = rowAt(place);
    if (query.show === 'differences' && index.differs[at] !== 1) continue;
    if (query.show === 'errors' && !models.some(({ errors }) => errors[at] !== null)) continue;
    if (search !== '' && !index.texts[at]?.includes(search)) continue;
    if (total >= query.skip && rows.length < query.limit) rows.push(at);
    total += 1;
  }
  return { total, rows };
}

/**
 * Row indexes in sorted order. Rows without a key come last in both directions. Rows with equal keys keep
 * their order.
 */
function orderOf(
  index: RowIndex,
  sort: RowQuery['sort'],
  models: readonly IndexedModel[],
  metric: string | undefined,
): (place: number) => number {
  const isDescending = sort.startsWith('-');
  const order = sort.replace('-', '');
  if (order === 'row') return isDescending ? (place) => index.size - 1 - place : (place) => place;
  const sorted = sortedOrder(keysOf(order, index, models, metric), isDescending);
  return (place) => sorted[place] ?? 0;
}

/** Row metrics that any of the models has, sorted by name. */
export const metricsOfRows = ({ models }: Pick<RowIndex, 'models'>): readonly string[] =>
  [...new Set(models.flatMap(({ scores }) => [...scores.keys()]))].sort();

/** The requested metric, or the first one. Throws an InputError for an unknown metric. */
export function chosenMetric(
  index: Pick<RowIndex, 'models'>,
  metric: string | undefined,
): string | undefined {
  const known = metricsOfRows(index);
  if (metric === undefined || known.includes(metric)) return metric ?? known[0];
  throw new AppError(
    'InputError',
    `No row has a score for the metric ${JSON.stringify(metric)}. Metrics with row scores: ${known.join(', ') || 'none'}.`,
  );
}

function modelOf(models: readonly IndexedModel[], id: string): IndexedModel {
  const found = models.find((model) => model.id === id);
  if (found) return found;
  throw new AppError('InputError', `The experiment has no workflow ${JSON.stringify(id)}.`);
}

function keysOf(
  order: string,
  index: RowIndex,
  models: readonly IndexedModel[],
  metric: string | undefined,
): Float64Array {
  const keys = new Float64Array(index.size);
  if (order === 'length') return keys.map((_, at) => index.examples[at]?.length ?? 0);
  const columns = models.flatMap(({ latency, scores }) =>
    order === 'latency' ? [latency] : (scores.get(metric ?? '') ?? []),
  );
  const combined = order === 'spread' ? spreadAt : meanAt;
  return keys.map((_, at) => combined(columns, at));
}

function meanAt(columns: readonly Float64Array[], at: number): number {
  let [sum, known] = [0, 0];
  for (const column of columns) {
    const value = column[at] ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    sum += value;
    known += 1;
  }
  return known === 0 ? Number.NaN : sum / known;
}

function spreadAt(columns: readonly Float64Array[], at: number): number {
  let [low, high] = [Infinity, -Infinity];
  for (const column of columns) {
    const value = column[at] ?? Number.NaN;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return high === -Infinity ? Number.NaN : high - low;
}
