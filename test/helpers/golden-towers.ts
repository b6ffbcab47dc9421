import { join } from 'node:path';
import { parseJsonText } from '#core/json/json-text.ts';
import { readFileSync } from 'node:fs';
import { FIXTURES } from './paths.ts';
import { SHAPES } from './golden-shapes.ts';

/** What transformers returns for the fixture models with two encoders (fixtures/scripts/make_towers.py). */
interface GoldenTowers {
  /** The token ids of each text. */
  readonly ids: readonly (readonly number[])[];
  /** The vector of each text and of each image. */
  readonly texts: readonly (readonly number[])[];
  readonly images: readonly (readonly number[])[];
  /** The scores of the labels for each image. */
  readonly scores: readonly (readonly number[])[];
}

interface GoldenInputs {
  readonly texts: readonly string[];
  readonly images: readonly string[];
  readonly labels: readonly string[];
}

const golden = parseJsonText(readFileSync(join(FIXTURES, 'golden/towers.json'), 'utf8')) as Record<
  'clip' | 'siglip',
  GoldenTowers
> & { readonly inputs: GoldenInputs };

export const TOWERS = ['clip', 'siglip'] as const;
export const goldenTowers = (model: (typeof TOWERS)[number]): GoldenTowers => golden[model];
export const TOWER_TEXTS = golden.inputs.texts;
export const TOWER_LABELS = golden.inputs.labels;

/** The images of the golden data, in its order. */
export const TOWER_IMAGES = golden.inputs.images.map((name) => {
  const found = SHAPES.find((image) => image.name === name);
  if (!found) throw new Error(`no image ${name} in fixtures/shapes`);
  return found;
});
