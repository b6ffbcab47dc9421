import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIXTURES } from './paths.ts';

/** The parts of a text and the mean of each part's token vectors (fixtures/scripts/make_late_chunking.py). */
export interface LateChunks {
  readonly prompt: string;
  readonly parts: readonly string[];
  readonly vectors: readonly number[][];
}

export function readGoldenLateChunks(): readonly LateChunks[] {
  const text = readFileSync(join(FIXTURES, 'golden/late-chunking.json'), 'utf8');
  return (JSON.parse(text) as { cases: LateChunks[] }).cases;
}
