import type { Manifest } from '#contract/manifest.ts';
import { readsImages } from '#contract/model-types.ts';
import { DEFAULT_IMAGE_LIMITS } from '#core/images/read-image-size.ts';
import { imageGraph } from '#core/model/image-graph.ts';
import type { TokenizedText } from '#core/model/tokenized-text.ts';
import type { TextTokenizer } from '#platform/tokenizer.ts';
import { TASKS } from '../../tasks/index.ts';
import { encodeMarked } from '../encode-marked.ts';
import { readImage, SMALLEST_IMAGE } from '../image-input.ts';
import type { ProbeInputs } from './probe-gpu.ts';

/**
 * Texts of different lengths that share a run, so that errors with padding are found. The longest has
 * more than 32 tokens, because ONNX Runtime uses other code for such texts.
 */
const TEXTS = [
  'The invoice from March was paid twice, once by card and once from the account in Lisbon. '.repeat(4),
  'A short text.',
  'Which of these 12 chargers works with a 2019 laptop?',
];

/** Inputs for which the results of a GPU are compared with those of the CPU: texts, an image, or both. */
export async function probeInputs(manifest: Manifest, tokenizer: TextTokenizer): Promise<ProbeInputs[]> {
  return [
    ...(readsImages(manifest.modelType) ? [] : [await probeTexts(manifest, tokenizer)]),
    ...(manifest.images ? [[probeImage(manifest)]] : []),
  ];
}

async function probeTexts(
  { modelType, multiVector, entities, mask }: Manifest,
  tokenizer: TextTokenizer,
): Promise<TokenizedText[]> {
  const texts = TEXTS.map((text) => ({ text: mask ? `${mask.token} ${text}` : text }));
  if (multiVector) return await encodeMarked(tokenizer, texts, multiVector.document);
  const labels = entities && ['person', 'date'];
  const encoded = await tokenizer.encode(texts, { details: TASKS[modelType].details, labels });
  return encoded.flatMap((text) => text.windows ?? [text]);
}

function probeImage(manifest: Manifest): TokenizedText {
  const { image } = readImage(SMALLEST_IMAGE, 'The image', DEFAULT_IMAGE_LIMITS);
  return { ids: new Int32Array(imageGraph(manifest).positions), image, truncated: false };
}
