import { copyFileSync, cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIXTURES } from './paths.ts';

/** A folder in fixtures/static with the vectors of its own library; fixtures/scripts/make_static.py created both. */
export interface StaticModel {
  readonly name: string;
  /** The model with the same tokenizer. */
  readonly tokenizer: string;
  readonly vectors: readonly number[][];
}

interface GoldenStatic {
  readonly texts: readonly string[];
  /** Vectors of the model `static`, without a prompt and with the prompt `query`. */
  readonly vectors: readonly number[][];
  readonly query: readonly number[][];
  readonly models: readonly StaticModel[];
  /** Similarities of the first text to the others in a static form of the model `sentence`. */
  readonly distilled: { readonly dimensions: number; readonly similarity: readonly number[] };
}

export function readGoldenStatic(): GoldenStatic {
  const read = (file: string): unknown => JSON.parse(readFileSync(join(FIXTURES, 'golden', file), 'utf8'));
  const { ids, ...golden } = read('static.json') as GoldenStatic & { ids: readonly string[] };
  const texts = read('texts.json') as { id: string; text: string }[];
  return { ...golden, texts: ids.map((id) => texts.find((one) => one.id === id)?.text ?? '') };
}

/** Copies a model of fixtures/static to `folder`, with its tokenizer. */
export function copyStatic(folder: string, { name, tokenizer }: Omit<StaticModel, 'vectors'>): void {
  cpSync(join(FIXTURES, 'static', name), folder, { recursive: true });
  const inner = join(folder, '0_StaticEmbedding');
  copyFileSync(
    join(FIXTURES, 'models', tokenizer, 'tokenizer.json'),
    join(existsSync(inner) ? inner : folder, 'tokenizer.json'),
  );
}
