import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIXTURES } from './paths.ts';

/** What fixtures/scripts/make_entities.py had transformers' pipeline say of a text, by the way of aggregating. */
export interface GoldenEntities {
  readonly text: string;
  readonly groups: Record<string, readonly GoldenGroup[]>;
}

type GoldenGroup = readonly [entity_group: string, score: number, start: number, end: number, word: string];

/** As /predict answers. */
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
