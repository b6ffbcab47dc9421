import { rfc3339 } from '#core/time/rfc3339.ts';
import type { ModelComparison } from '../../../evaluation/compare/comparison.ts';
import type { Plots } from '../../../evaluation/plots/plots.ts';
import { findRows } from '../../../evaluation/rows/find-rows.ts';
import type { RowIndex } from '../../../evaluation/rows/row-index.ts';
import { comparisonView } from '../../compare.ts';
import { plotsView, rowView } from '../../results-views.ts';

interface ReportParts {
  readonly comparison: ModelComparison;
  readonly plots: Plots;
  readonly index: RowIndex;
  readonly version: string;
  readonly now: number;
}

/** Maximum number of rows in a report. With more rows, the file would be too large for e-mail. */
const MAX_ROWS = 1000;

/** The contents of a report. Rows where the models disagree come first. */
export function reportData({ comparison, plots, index, version, now }: ReportParts) {
  const query = { search: '', metric: undefined, workflowId: undefined, skip: 0, limit: MAX_ROWS } as const;
  const different = findRows(index, { ...query, show: 'differences', sort: 'row' }).rows;
  const chosen = new Set(different);
  for (let at = 0; at < index.size && chosen.size < MAX_ROWS; at += 1) chosen.add(at);
  return {
    created_at: rfc3339(now),
    version,
    experiment: { name: comparison.experiment.name, description: comparison.experiment.description },
    comparison: comparisonView(comparison),
    plots: plotsView(plots),
    rows: [...chosen].toSorted((one, other) => one - other).map((at) => rowView(index, at)),
    total: index.size,
  };
}
