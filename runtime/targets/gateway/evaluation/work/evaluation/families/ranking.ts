import { ranking } from '../../../metrics/classification/ranking.ts';
import { isUnanswered, type MetricFamily } from '../evaluation.ts';
import { asIs, each, scorer } from '../scorer.ts';
import { cellLabels, scoresOf } from '../read-cells.ts';

/** The true labels' ranks by score, over rows with scores and rows without a response. */
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
