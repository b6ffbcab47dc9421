import type { MetricMaker } from '../../metric.ts';
import { meanMetric } from '../mean-metric.ts';
import type { TextRow } from '../text-row.ts';
import { meteorScore } from './score.ts';

export const meteor: MetricMaker<TextRow> = (_options, saved) =>
  meanMetric(['meteor_mean'], (row) => ({ meteor_mean: meteorScore(row) }), saved);
