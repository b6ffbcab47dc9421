import { describe, expect, test } from 'vitest';
import { BOX_VALUES } from '#contract/detection.ts';
import { imageProcessor } from '#cli/packaging/images/read-processor.ts';
import { findObjects } from '#encoder/math/detections.ts';
import { largestDifference } from '#test/helpers/close.ts';
import { cornersOf, DETECTION_OUTPUTS } from '#test/helpers/golden-detection.ts';

const image = { height: 50, width: 70 };
const QUERIES = 60;

describe('findObjects', () => {
  test.each(Object.entries(DETECTION_OUTPUTS))(
    'finds the same objects in random outputs as the %s class of transformers',
    (name, { values, labels, scores, boxes }) => {
      const { detection } = imageProcessor({
        preprocessor: { image_processor_type: `${name}ImageProcessor` },
        processor: undefined,
        config: undefined,
      });
      if (!detection) throw new Error('the class does not find objects');
      const request = { settings: detection, image, threshold: 0.3 };
      const width = values.length / QUERIES;
      const found = findObjects(Float32Array.from(values), width, request);
      expect(found.map(({ label }) => label)).toEqual(labels);
      expect(
        largestDifference(
          found.map(({ score }) => score),
          scores,
        ),
      ).toBeLessThan(1e-6);
      expect(
        largestDifference(
          found.flatMap(({ box }) => cornersOf(box)),
          boxes,
        ),
      ).toBeLessThan(1e-5);
      expect(found.length).toBeGreaterThan(20);
      const best = findObjects(Float32Array.from(values), width, { ...request, topK: 3 });
      expect(best).toEqual(found.slice(0, 3));
      expect(findObjects(Float32Array.from(values), width, { ...request, threshold: 1 })).toEqual([]);
    },
  );

  test('an object whose score equals the threshold is not returned', () => {
    const settings = { scores: 'sigmoid' } as const;
    const values = Float32Array.from([0, 0.5, 0.5, 0.25, 0.5]);
    expect(values.length).toBe(1 + BOX_VALUES);
    expect(findObjects(values, values.length, { settings, image, threshold: 0.5 })).toEqual([]);
    const [one] = findObjects(values, values.length, { settings, image, threshold: 0.49 });
    expect(one).toMatchObject({ label: 0, score: 0.5 });
    expect(cornersOf(one?.box ?? { xmin: 0, ymin: 0, xmax: 0, ymax: 0 })).toEqual([26.25, 12.5, 43.75, 37.5]);
  });
});
