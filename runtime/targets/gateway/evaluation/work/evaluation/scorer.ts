import type { Metric } from '../../metrics/metric.ts';
import type { Sample, Scorer } from './evaluation.ts';

/** A scorer for a metric that only reads rows. Rows for which `read` returns undefined are skipped. */
export const scorer = <Row>(metric: Metric<Row>, read: (sample: Sample) => Row | undefined): Scorer => ({
  prepare: async (samples) =>
    samples.map((sample) => () => {
      const row = read(sample);
      return row === undefined ? {} : metric.add(row);
    }),
  result: metric.result,
  save: metric.save,
});
