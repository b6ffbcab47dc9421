import type { Manifest } from '#contract/manifest.ts';
import type { LayerSettings, Pooling } from '#contract/sentence.ts';
import { vectorWidth } from './vector-width.ts';

/** Rows about vectors in tables about a sentence_embedding model; empty for other models. */
export function sentenceFacts(
  manifest: Pick<Manifest, 'sentence' | 'width' | 'tokenOutputs'>,
): [string, string][] {
  const { sentence, tokenOutputs } = manifest;
  if (!sentence) return [];
  const width = vectorWidth(manifest);
  const {
    pooling,
    layers = [],
    normalize,
    dimensions = width,
    similarity,
    prompts,
    defaultPrompt,
  } = sentence;
  const steps = [
    [pooling]
      .flat()
      .map((mode) => FROM[mode])
      .join(' + '),
    ...layers.map(layerText),
    ...(dimensions < width ? [`truncated to ${dimensions} dimensions`] : []),
    ...(normalize ? [NORMALIZED] : []),
  ];
  const names = Object.keys(prompts).map((name) => (name === defaultPrompt ? `${name} (default)` : name));
  return [
    ['Vector', steps.join(', ')],
    ...(tokenOutputs
      ? [
          [
            'Outputs',
            `dense, sparse, multi_vector (${tokenOutputs.multiVector.width} dimensions)`,
          ] satisfies [string, string],
        ]
      : []),
    ...(similarity ? [['Similarity', similarity] satisfies [string, string]] : []),
    ...(names.length > 0 ? [['Prompts', names.join(', ')] satisfies [string, string]] : []),
  ];
}

const NORMALIZED = 'L2-normalized';

const FROM: Record<Pooling, string> = {
  mean: 'mean of all tokens',
  cls: 'first token (cls)',
  max: 'maximum over all tokens',
  last: 'last token',
  none: 'pooled by the model',
  mean_sqrt_len_tokens: 'sum of all tokens by the square root of their number',
  weightedmean: 'mean of all tokens, weighted by position',
};

function layerText(layer: LayerSettings): string {
  if (layer.kind === 'normalize') return NORMALIZED;
  if (layer.kind === 'layer_norm') return 'LayerNorm';
  const { inputs, outputs, activation } = layer;
  return `Dense ${inputs} to ${outputs}${activation === 'identity' ? '' : ` (${activation})`}`;
}
