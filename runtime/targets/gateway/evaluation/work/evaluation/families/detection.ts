import { meanAveragePrecision } from '../../../metrics/detection/mean-average-precision.ts';
import { isUnanswered, type MetricFamily } from '../evaluation.ts';
import { readFoundObjects, readTrueObjects } from '../read-objects.ts';
import { asIs, each, none, scorer } from '../scorer.ts';

/** Boxes around objects in images, as in COCO. */
export const detection: MetricFamily = {
  name: 'detection',
  metrics: {
    ...each(['map', 'map_50', 'map_75', 'map_small', 'map_medium', 'map_large']),
    per_label: none,
  },
  needs: [],
  shownAs: asIs,
  open: (_tools, saved) =>
    scorer(meanAveragePrecision({}, saved), ({ prediction, truth }) => ({
      reference: readTrueObjects(truth),
      prediction: isUnanswered({ prediction }) ? null : readFoundObjects(prediction),
    })),
};
