import { element, scrollable, withShare } from '../dom.ts';
import { short } from '../format.ts';

/** If there are more columns than this, cells show their number as a tooltip only. */
const MAX_NUMBERS = 24;

interface HeatMapOptions {
  readonly title: string;
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  /** Values by row. */
  readonly cells: readonly (readonly (number | null)[])[];
  /** The meaning of the rows and columns, e.g. `Actual \ predicted`. */
  readonly corner?: string;
  readonly text?: (value: number) => string;
  /** Start of the color scale. Default: the smallest value, or 0 if all values are positive. */
  readonly min?: number;
  readonly max?: number;
}

/**
 * A matrix of numbers as a table whose cells are darker for larger numbers. Screen readers can read
 * the table, so no text alternative is required.
 */
export function heatMap({
  title,
  rows,
  columns,
  cells,
  corner = '',
  text = short,
  min,
  max,
}: HeatMapOptions) {
  const known = cells.flat().filter((value) => value !== null);
  const low = min ?? Math.min(0, ...known);
  const high = max ?? Math.max(low, ...known);
  const isDense = columns.length > MAX_NUMBERS;
  const cell = (value: number | null, row: number, column: number) => {
    if (value === null) return element('td', {}, '–');
    const words = `${rows[row] ?? ''}, ${columns[column] ?? ''}: ${text(value)}`;
    const node = element(
      'td',
      { title: words },
      isDense ? element('span', { class: 'unseen' }, text(value)) : text(value),
    );
    return withShare(node, high === low ? 0 : Math.min(1, Math.max(0, (value - low) / (high - low))));
  };
  const body = rows.map((name, row) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, name),
      ...columns.map((_, column) => cell(cells[row]?.[column] ?? null, row, column)),
    ),
  );
  const table = element(
    'table',
    { class: isDense ? 'heat dense' : 'heat' },
    element('caption', { class: 'unseen' }, title),
    element(
      'thead',
      {},
      element(
        'tr',
        {},
        corner === '' ? element('td') : element('th', { scope: 'col' }, corner),
        ...columns.map((name) => element('th', { scope: 'col' }, name)),
      ),
    ),
    element('tbody', {}, ...body),
  );
  return element(
    'figure',
    { class: 'chart' },
    element('figcaption', {}, element('strong', {}, title)),
    scrollable(title, table),
  );
}
