import { calibration } from '../../../metrics/classification/calibration.ts';
import { isUnanswered, type MetricFamily } from '../evaluation.ts';
import { asIs, each, scorer } from '../scorer.ts';
import { cellLabels, scoresOf } from '../read-cells.ts';

/** Score calibration, over rows with scores and a single label as ground truth. */
export const calibrationFamily: MetricFamily = {
  name: 'calibration',
  metrics: each(['log_loss', 'brier_score', 'ece']),
  needs: [],
  shownAs: asIs,
  open: (_tools, saved) =>
    scorer(calibration({}, saved), ({ row, prediction, truth }) => {
      if (isUnanswered({ prediction })) return undefined;
      const scores = scoresOf(row);
      const [predicted, reference] = [cellLabels(prediction), cellLabels(truth)];
      if (!scores || typeof predicted !== 'string' || typeof reference !== 'string') return undefined;
      return { prediction: predicted, reference, scores };
    }),
};
