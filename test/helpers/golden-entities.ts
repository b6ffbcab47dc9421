import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIXTURES } from './paths.ts';

/** Results of the transformers pipeline for a text, by aggregation strategy (fixtures/scripts/make_entities.py). */
export interface GoldenEntities {
  readonly text: string;
  readonly groups: Record<string, readonly GoldenGroup[]>;
}

type GoldenGroup = readonly [entity_group: string, score: number, start: number, end: number, word: string];

/** In the format of /predict. */
export interface Entity {
  readonly entity_group: string;
  readonly score: number;
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

export function readGoldenEntities(): readonly GoldenEntities[] {
  const sets = JSON.parse(readFileSync(join(FIXTURES, 'golden', 'entities.json'), 'utf8')) as {
    name: string;
    cases: GoldenEntities[];
  }[];
  return sets.find(({ name }) => name === 'ner, its own scores')?.cases ?? [];
}
