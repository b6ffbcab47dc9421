import type { ImageSize } from '#contract/image-recipe.ts';
import { hasImageInputs, hasMixedInputs } from '#contract/model-types.ts';
import type { ServingEngine } from '../engine/serving.ts';
import type { InputFlags } from '../infer/input-source.ts';
import type { PredictBody } from '../served/served-type.ts';
import { drawnFiles, imageSizes } from './drawn-images.ts';
import { readGivenInputs } from './given-inputs.ts';
import { type BenchInput, benchRequest } from './request.ts';
import { lengthsUpTo, makeTexts } from './texts.ts';

/** Texts of one length, images of one size, or the texts or the images of `--input`. */
export interface BenchInputs {
  readonly kind: 'texts' | 'images';
  readonly size: InputSize;
  /** Requests with one input each. */
  readonly requests: readonly PredictBody[];
}

/** `tokens` is the number of tokens per text, and `count` that of inputs in `--input`. */
type InputSize = { readonly tokens: number } | ImageSize | { readonly count: number };

/** The inputs to measure: those that the user passed, or texts and images of several sizes. */
export async function planInputs(
  engine: ServingEngine,
  given: InputFlags | undefined,
): Promise<BenchInputs[]> {
  if (given) return await givenInputs(engine, given);
  const { modelType } = engine.manifest;
  return [
    ...(hasImageInputs(modelType) ? [] : await textInputs(engine)),
    ...(hasImageInputs(modelType) || hasMixedInputs(modelType) ? drawnInputs(engine) : []),
  ];
}

const textInputs = (engine: ServingEngine): Promise<BenchInputs[]> =>
  Promise.all(
    lengthsUpTo(engine.manifest.tokenizer.maxLength).map(async (tokens) => ({
      kind: 'texts' as const,
      size: { tokens },
      requests: requestsOf(engine, await makeTexts(engine, tokens)),
    })),
  );

const drawnInputs = (engine: ServingEngine): BenchInputs[] =>
  imageSizes(engine.limits.images).map((size) => ({
    kind: 'images',
    size,
    requests: requestsOf(engine, drawnFiles(size, engine.limits.images)),
  }));

async function givenInputs(engine: ServingEngine, given: InputFlags): Promise<BenchInputs[]> {
  const inputs = await readGivenInputs(engine.manifest, engine.limits.images, given);
  const groups = Map.groupBy(inputs, (input) => (typeof input === 'string' ? 'texts' : 'images'));
  return [...groups].map(([kind, list]) => ({
    kind,
    size: { count: list.length },
    requests: requestsOf(engine, list),
  }));
}

const requestsOf = ({ manifest }: ServingEngine, inputs: readonly BenchInput[]): PredictBody[] =>
  inputs.map((input) => benchRequest(manifest, input));
