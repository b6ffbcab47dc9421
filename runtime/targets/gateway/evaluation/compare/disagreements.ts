import type { Datasets, Row } from '../datasets/dataset.ts';
import { GROUND_TRUTH } from '../datasets/check-row.ts';
import { textOfRow } from '../work/inference/text-of-row.ts';
import type { Disagreement } from './comparison.ts';

export interface Answers {
  readonly workflowId: string;
  readonly datasetId: string;
  readonly field: string;
}

const MAX_EXAMPLE_LENGTH = 2000;

/** Counts rows with different answers and returns the first ones. All datasets must have the same rows. */
export async function findDisagreements(
  datasets: Pick<Datasets, 'rows'>,
  all: readonly Answers[],
  maxItems: number,
): Promise<{ readonly total: number; readonly items: readonly Disagreement[] }> {
  const items: Disagreement[] = [];
  let total = 0;
  const readers = all.map(({ datasetId }) => rowsOf(datasets, datasetId));
  try {
    for (let number = 1; ; number += 1) {
      const read = await Promise.all(readers.map((reader) => reader.next()));
      const rows = read.flatMap((one) => (one.done === true ? [] : [one.value]));
      if (rows.length < all.length) return { total, items };
      const answers = all.map(
        ({ workflowId, field }, at) => [workflowId, rows[at]?.[field] ?? null] as const,
      );
      const [first, ...others] = answers.map(([, answer]) => JSON.stringify(answer));
      if (others.every((other) => other === first)) continue;
      total += 1;
      if (items.length < maxItems)
        items.push(disagreementOf(number, rows[0] ?? {}, Object.fromEntries(answers)));
    }
  } finally {
    for (const reader of readers) await reader.return();
  }
}

const disagreementOf = (row: number, first: Row, answers: Disagreement['answers']): Disagreement => ({
  row,
  example: textOfRow(first).slice(0, MAX_EXAMPLE_LENGTH),
  groundTruth: first[GROUND_TRUTH] ?? null,
  answers,
});

async function* rowsOf(datasets: Pick<Datasets, 'rows'>, id: string): AsyncGenerator<Row, void> {
  for await (const { rows } of datasets.rows(id)) yield* rows;
}
