import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIXTURES } from './paths.ts';

export const GLINER_MODELS = ['gliner-span', 'gliner-token', 'gliner-bi'] as const;
type GlinerModel = (typeof GLINER_MODELS)[number];

export interface GoldenEntity {
  readonly text: string;
  readonly label: string;
  readonly score: number;
  readonly start: number;
  readonly end: number;
}

export interface GoldenEntityCase {
  readonly labels: readonly string[];
  readonly threshold: number;
  readonly flat_ner: boolean;
  readonly multi_label: boolean;
  /** The entities of each text. */
  readonly results: readonly (readonly GoldenEntity[])[];
}

type GoldenGliner = Readonly<
  Record<
    GlinerModel,
    { readonly cases: readonly GoldenEntityCase[]; readonly windows: readonly GoldenEntityCase[] }
  >
> & {
  readonly texts: readonly string[];
  /** Texts of several windows. */
  readonly long: readonly string[];
};

export const readGoldenGliner = (): GoldenGliner => ({
  ...(readGolden('gliner') as GoldenGliner),
  'gliner-bi': (readGolden('gliner-bi') as { readonly exported: GoldenGliner['gliner-bi'] }).exported,
});

const readGolden = (name: string): unknown =>
  JSON.parse(readFileSync(join(FIXTURES, `golden/${name}.json`), 'utf8'));
