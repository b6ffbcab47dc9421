import { ranking } from '../../../metrics/classification/ranking.ts';
import { isUnanswered, type MetricFamily } from '../evaluation.ts';
import { asIs, each } from '../names.ts';
import { cellLabels } from '../read-labels.ts';
import { scoresOf } from '../read-scores.ts';
import { scorer } from '../scorer.ts';

/** Ranks of the true labels by their scores, over rows with scores and rows without an answer. */
export const rankingFamily: MetricFamily = {
  name: 'ranking',
  metrics: each(['roc_auc', 'average_precision', 'top_2_accuracy', 'top_3_accuracy', 'top_5_accuracy']),
  needs: [],
  shownAs: asIs,
  open: (_tools, saved) =>
    scorer(ranking({}, saved), ({ row, prediction, truth }) => {
      const scores = isUnanswered({ prediction }) ? null : scoresOf(row);
      return scores === undefined ? undefined : { reference: [cellLabels(truth)].flat(), scores };
    }),
};
