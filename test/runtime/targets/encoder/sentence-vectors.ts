import { expect } from 'vitest';
import { predictResponse } from '#encoder/predict/predict.ts';
import { expectClose } from '../../../helpers/close.ts';
import { readGoldenSentences, type SentenceVariant, variantName } from '../../../helpers/golden-sentences.ts';
import { expectToMatch } from './http/matches.ts';
import type { OpenApp } from './http/open-app.ts';

export const { texts, prompts, variants } = readGoldenSentences();
/** The values in sentence_bert_config.json of the fixture. */
export const MAX_LENGTH = 64;

/** The golden variant with these settings; the first one if several match. */
export function variantWith(wanted: Partial<SentenceVariant>): SentenceVariant {
  const whole = {
    pooling: 'mean',
    dimensions: null,
    prompt_name: null,
    include_prompt: true,
    max_length: MAX_LENGTH,
  };
  const settings = Object.entries({ ...whole, ...wanted });
  const found = variants.find((variant) =>
    settings.every(([key, value]) => variant[key as keyof SentenceVariant] === value),
  );
  return found ?? expect.unreachable(`no golden vectors with ${JSON.stringify(wanted)}`);
}

/** The results of `/predict` for the golden texts. */
export async function predictVectors(open: OpenApp, body: Record<string, unknown>): Promise<number[][]> {
  const response = await open.post('/predict', { inputs: texts, ...body });
  expect(response.status).toBe(200);
  const answer = (await response.json()) as { results: { embedding: number[] }[] };
  expectToMatch(answer, predictResponse({ modelType: 'sentence_embedding' }));
  return answer.results.map(({ embedding }) => embedding);
}

export function expectVectors(actual: readonly number[][], variant: SentenceVariant): void {
  expect(actual).toHaveLength(texts.length);
  for (const [at, vector] of variant.vectors.entries()) {
    expectClose(actual[at], vector, `${JSON.stringify(texts[at])} with ${variantName(variant)}`);
  }
}
