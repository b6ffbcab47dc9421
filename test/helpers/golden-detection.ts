import { join } from 'node:path';
import { readGolden } from './golden-images.ts';
import { FIXTURES } from './paths.ts';

interface GoldenObject {
  readonly label: string;
  readonly score: number;
  /** Left, top, right and bottom in pixels. */
  readonly box: readonly [number, number, number, number];
}

/** What the library does with random outputs. */
interface GoldenOutputs {
  readonly values: readonly number[];
  readonly labels: readonly number[];
  readonly scores: readonly number[];
  readonly boxes: readonly number[];
}

interface Golden {
  readonly images: Readonly<Record<string, Readonly<Record<string, readonly GoldenObject[]>>>>;
  readonly outputs: Readonly<Record<string, GoldenOutputs>>;
}

/**
 * What transformers finds, highest score first: in images by model and image, and in random outputs by class of
 * processors (fixtures/scripts/make_detection.py).
 */
export const { images: DETECTION, outputs: DETECTION_OUTPUTS } = readGolden('detection.json') as Golden;

/** The threshold of the script. */
export const DETECTION_THRESHOLD = 0.2;

/** The folder of a model. The tests serve `boxes`. */
export const detectorFolder = (name: string): string =>
  join(FIXTURES, name === 'boxes' ? 'models' : 'detection', name);

interface Corners {
  readonly xmin: number;
  readonly ymin: number;
  readonly xmax: number;
  readonly ymax: number;
}

export const cornersOf = ({ xmin, ymin, xmax, ymax }: Corners): number[] => [xmin, ymin, xmax, ymax];
