import { join } from 'node:path';
import { readGolden } from './golden-images.ts';
import { FIXTURES } from './paths.ts';

interface GoldenObject {
  readonly label: string;
  readonly score: number;
  /** Left, top, right and bottom in pixels. */
  readonly box: readonly [number, number, number, number];
}

/** What transformers finds in images, highest score first, by model and image (fixtures/scripts/make_detection.py). */
export const DETECTION = readGolden('detection.json') as Readonly<
  Record<string, Readonly<Record<string, readonly GoldenObject[]>>>
>;

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
