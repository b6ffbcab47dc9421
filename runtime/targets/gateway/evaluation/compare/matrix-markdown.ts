import type { Amount } from './amounts.ts';
import { dollars, number, plain, table, withInterval } from './markdown-table.ts';
import { amountOf, type Matrix, type MatrixCell } from './matrix.ts';

export const AMOUNT_TITLES: Readonly<Record<Amount, string>> = {
  cost: 'cost per row',
  latency: 'p50 ms',
  tokens: 'tokens per row',
};

/** The matrix and its frontier as a Markdown report. */
export function matrixMarkdown(matrix: Matrix): string {
  const { name, metric, prompts, models, by } = matrix;
  if (metric === null) return `# ${plain(name)}\n\nNo model has finished.\n`;
  const cellAt = (prompt: string, model: string): MatrixCell | undefined =>
    matrix.cells.find((cell) => cell.prompt === prompt && cell.model === model);
  const rows = prompts.map((prompt) => [
    plain(prompt),
    ...models.map((model) => cellText(cellAt(prompt, model), by)),
  ]);
  return [
    `# ${plain(name)}: ${metric}`,
    table(['prompt', ...models.map((model) => plain(model))], rows),
    `Each cell shows the metric with its 95% confidence interval and the ${AMOUNT_TITLES[by]}. \\* no other cell is both better and cheaper.`,
    `## Frontier (${AMOUNT_TITLES[by]})`,
    frontierText(matrix),
  ]
    .join('\n\n')
    .concat('\n');
}

function cellText(cell: MatrixCell | undefined, by: Amount): string {
  if (!cell || cell.value === null) return '-';
  const mark = cell.isOnFrontier === true ? ' *' : '';
  return `${withInterval(cell.value, cell.interval)}, ${amountText(cell, by)}${mark}`;
}

const amountText = (cell: MatrixCell, by: Amount): string => {
  const amount = amountOf(cell, by);
  if (by === 'cost') return dollars(amount);
  return amount === null ? '-' : number(amount);
};

/** The cells on the frontier, cheapest first. */
export const frontierOf = ({ cells, by }: Pick<Matrix, 'cells' | 'by'>): readonly MatrixCell[] =>
  cells
    .filter(({ isOnFrontier }) => isOnFrontier === true)
    .toSorted((one, other) => (amountOf(one, by) ?? 0) - (amountOf(other, by) ?? 0));

function frontierText(matrix: Matrix): string {
  const { by, metric } = matrix;
  const frontier = frontierOf(matrix);
  if (frontier.length === 0) {
    return by === 'cost' ? 'No model has a price. Use latency or tokens.' : 'No model has a value.';
  }
  return table(
    ['model', 'prompt', metric ?? '', AMOUNT_TITLES[by], 'on the frontier'],
    frontier.map((cell) => [
      plain(cell.model),
      plain(cell.prompt),
      withInterval(cell.value ?? 0, cell.interval),
      amountText(cell, by),
      cell.frontierShare === null ? '-' : `${Math.round(cell.frontierShare * 100)}% of resamples`,
    ]),
  );
}
