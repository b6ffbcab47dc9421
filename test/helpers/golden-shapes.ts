import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIXTURES } from './paths.ts';

interface GoldenImage {
  readonly label: string;
  /** The logits of the fixture model `shapes`, and the vector of `patches`, by transformers. */
  readonly shapes: readonly number[];
  readonly patches: readonly number[];
}

const golden = JSON.parse(readFileSync(join(FIXTURES, 'golden/shapes.json'), 'utf8')) as Record<
  string,
  GoldenImage
>;

/** Images, with what transformers returns for them. */
export const SHAPES = Object.entries(golden).map(([name, expected]) => {
  const path = join(FIXTURES, 'shapes', name);
  const bytes = readFileSync(path);
  return { ...expected, name, path, bytes, base64: bytes.toString('base64') };
});
