import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJsonText } from '#core/json/json-text.ts';
import type { ResampleFilter } from '#contract/image-recipe.ts';
import { FIXTURES } from './paths.ts';

/** What Pillow makes of the files in fixtures/images (fixtures/scripts/make_images.py). */
interface GoldenImages {
  readonly decoded: Readonly<
    Record<
      string,
      { readonly width: number; readonly height: number; readonly sha256: string; readonly white?: string }
    >
  >;
  readonly resized: readonly {
    readonly file: string;
    readonly filter: ResampleFilter;
    readonly size: readonly [number, number];
    readonly box: readonly [number, number, number, number] | null;
    readonly sha256: string;
  }[];
}

export const readGoldenImages = (): GoldenImages => readGolden('images.json') as GoldenImages;

export function readGolden(name: string): unknown {
  return parseJsonText(readFileSync(join(FIXTURES, 'golden', name), 'utf8'));
}

export const imageFile = (name: string): Buffer => readFileSync(join(FIXTURES, 'images', name));

/** The names of all image files. */
export const imageFiles = (): string[] => readdirSync(join(FIXTURES, 'images')).toSorted();
