import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIXTURES } from './paths.ts';

/** A text with the results of independent libraries (Python transformers, tokenizers, onnxruntime), created by fixtures/scripts. */
interface GoldenCase {
  readonly id: string;
  readonly input_ids: number[];
  readonly special_tokens_mask: number[];
  readonly offsets: [number, number][];
  readonly tokens: string[];
  readonly logits?: number[] | number[][];
  readonly scores?: number[] | number[][];
  readonly predicted_label?: string;
  readonly labels?: string[];
  readonly embeddings?: number[][];
}

export interface GoldenText extends GoldenCase {
  readonly text: string;
}

export function readGolden(model: string): GoldenText[] {
  const read = (file: string): unknown => JSON.parse(readFileSync(join(FIXTURES, 'golden', file), 'utf8'));
  const texts = new Map(
    (read('texts.json') as { id: string; text: string }[]).map(({ id, text }) => [id, text]),
  );
  const { cases } = read(`${model}.json`) as { cases: GoldenCase[] };
  return cases.map((golden) => {
    const text = texts.get(golden.id);
    if (text === undefined) throw new Error(`golden case ${golden.id} has no text`);
    return { ...golden, text };
  });
}
