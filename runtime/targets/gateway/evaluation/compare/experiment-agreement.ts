import { inputError } from '#contract/errors.ts';
import { didYouMean } from '#core/text/suggest.ts';
import { runYielding } from '#platform/run-yielding.ts';
import type { DatasetCell, Datasets } from '../datasets/dataset.ts';
import type { Experiment } from '../experiments/experiment.ts';
import { type Agreement, agreementOf } from '../metrics/agreement/agreement.ts';
import { type Rating, type RatingLevel, readRatings } from '../metrics/agreement/ratings.ts';
import type { WorkflowDetails } from '../workflows/workflow.ts';

export interface AgreementRequest {
  /**
   * Columns of the dataset, and columns of workflows as `workflow/column`, with the workflow's name or ID or `*` for
   * all of them. A workflow's columns are its metrics per row and the columns of its responses.
   */
  readonly raters: readonly string[];
  readonly level: RatingLevel;
  /** Ratings are replaced by whether they are at least this number. */
  readonly threshold: number | undefined;
}

export interface ExperimentAgreement extends Agreement {
  readonly level: RatingLevel;
  readonly raters: readonly { readonly name: string; readonly rated: number }[];
}

interface RaterColumn {
  readonly name: string;
  /** Datasets that can contain the column, in order. */
  readonly datasets: readonly string[];
  readonly column: string;
}

/** Each pair of raters is compared, so their number is limited. */
const MAX_RATERS = 10;
const MAX_ROWS = 200_000;
/** Longer texts are not ratings. */
const MAX_RATING_LENGTH = 200;

/** Measures the agreement of judges, models and people who have rated the rows of an experiment. */
export async function experimentAgreement(
  experiment: Experiment,
  workflows: readonly WorkflowDetails[],
  { raters, level, threshold }: AgreementRequest,
  datasets: Pick<Datasets, 'rows' | 'output'>,
): Promise<ExperimentAgreement> {
  const { columns: known, rowCount } = await datasets.output(experiment.datasetId);
  const found = [...new Set(raters)].flatMap((rater) => columnsOf(rater, { experiment, known, workflows }));
  if (found.length < 2 || found.length > MAX_RATERS) {
    throw inputError(
      `Agreement requires 2 to ${MAX_RATERS} raters, not ${found.length}. Name dataset columns, or workflow columns such as small/accuracy.`,
    );
  }
  const rows = Math.min(rowCount, MAX_ROWS, experiment.maxSamples < 0 ? rowCount : experiment.maxSamples);
  const columns: Rating[][] = [];
  for (const rater of found) columns.push(await ratingsIn(rater, rows, threshold, datasets));
  const agreement = await runYielding(agreementOf(readRatings(columns, level), level));
  return {
    ...agreement,
    level,
    raters: found.map(({ name }, at) => ({
      name,
      rated: columns[at]?.filter((rating) => rating !== null).length ?? 0,
    })),
  };
}

interface Known {
  readonly experiment: Experiment;
  /** The columns of the dataset. */
  readonly known: readonly string[];
  readonly workflows: readonly WorkflowDetails[];
}

function columnsOf(rater: string, { experiment, known, workflows }: Known): readonly RaterColumn[] {
  if (known.includes(rater)) return [{ name: rater, datasets: [experiment.datasetId], column: rater }];
  const slash = rater.lastIndexOf('/');
  const [name, column] = [rater.slice(0, Math.max(0, slash)), rater.slice(slash + 1)];
  const chosen = workflows.filter(
    (workflow) => name === '*' || workflow.name === name || workflow.id === name,
  );
  if (slash > 0 && chosen.length > 0) {
    return chosen.map((workflow) => ({
      name: `${workflow.name}/${column}`,
      datasets: outputsOf(workflow),
      column,
    }));
  }
  const shown = JSON.stringify(rater.slice(0, 100));
  if (slash > 0) {
    const names = workflows.map((workflow) => workflow.name);
    throw inputError(
      `Rater ${shown}: the experiment has no model ${JSON.stringify(name.slice(0, 100))}${didYouMean(name, names) || '.'} Models: ${names.join(', ')}.`,
    );
  }
  throw inputError(
    `Rater ${shown} is not a column of the dataset${didYouMean(rater, known) || '.'} Columns: ${known.join(', ')}. For a model’s column, use model/column.`,
  );
}

/** The scores, then the responses. */
const outputsOf = ({ jobs }: WorkflowDetails): readonly string[] =>
  (['evaluation', 'inference'] as const).flatMap(
    (type) => jobs.find(({ spec }) => spec.type === type)?.outputId ?? [],
  );

async function ratingsIn(
  { name, datasets: candidates, column }: RaterColumn,
  rows: number,
  threshold: number | undefined,
  datasets: Pick<Datasets, 'rows' | 'output'>,
): Promise<Rating[]> {
  for (const id of candidates) {
    const ratings: Rating[] = Array.from({ length: rows }, () => null);
    let exists = false;
    for await (const { firstRow, rows: chunk } of datasets.rows(id)) {
      for (const [at, row] of chunk.entries()) {
        exists ||= Object.hasOwn(row, column);
        if (firstRow + at < rows) ratings[firstRow + at] = ratingIn(row[column], threshold);
      }
      if (firstRow + chunk.length >= rows) break;
    }
    if (exists) return ratings;
  }
  throw inputError(`Rater ${JSON.stringify(name.slice(0, 100))} has no ratings yet, or no such column.`);
}

/** A cell as a rating. In CSV files, numbers are texts. */
function ratingIn(cell: DatasetCell | undefined, threshold: number | undefined): Rating {
  const value = typeof cell === 'boolean' ? Number(cell) : cell;
  const isNumber = typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value));
  const rating = isNumber ? Number(value) : value;
  if (typeof rating === 'number') return threshold === undefined ? rating : Number(rating >= threshold);
  const text = typeof rating === 'string' ? rating.trim() : '';
  if (text === '' || text.length > MAX_RATING_LENGTH) return null;
  if (threshold !== undefined)
    throw inputError(
      `The rating ${JSON.stringify(text.slice(0, 80))} is not a number, which a threshold requires.`,
    );
  return text;
}
