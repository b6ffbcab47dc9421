import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIXTURES } from './paths.ts';

interface GoldenRegions {
  /** Height and width. */
  readonly size: readonly [number, number];
  /** The result of transformers' pipeline. Masks are the numbers of pixels outside and inside, in turn, column by column. */
  readonly segments: readonly {
    readonly label: string;
    readonly score: null;
    readonly mask: readonly number[];
  }[];
}

const golden = JSON.parse(readFileSync(join(FIXTURES, 'golden/regions.json'), 'utf8')) as Record<
  string,
  GoldenRegions
>;

/** Images, with the regions that transformers finds with the fixture model `regions`. */
export const REGIONS = Object.entries(golden).map(([name, { size, segments }]) => {
  const path = join(FIXTURES, name);
  const bytes = readFileSync(path);
  const [height, width] = size;
  return {
    name,
    path,
    bytes,
    base64: bytes.toString('base64'),
    size,
    segments: segments.map(({ label, score, mask }) => {
      const area = mask.reduce((sum, count, at) => sum + (at % 2 === 1 ? count : 0), 0);
      return { label, score, area, share: area / (height * width), mask: { size, counts: mask } };
    }),
  };
});
