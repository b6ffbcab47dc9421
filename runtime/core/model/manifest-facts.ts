import { DEFAULT_THRESHOLD } from '#contract/detection.ts';
import type { TokenTableSettings } from '#contract/token-table.ts';
import type { Manifest, CardFacts, ModelLicense } from '#contract/manifest.ts';
import type { LayerSettings, Pooling } from '#contract/sentence.ts';
import type { ImageRecipe } from '#contract/image-recipe.ts';
import { tensorSize } from '#core/images/tensor-size.ts';
import { vectorWidth } from './vector-width.ts';
import { TEXT_ROLES, type TextRules } from '#contract/multi-vector.ts';
import type { ScoreFunction } from '#contract/score-function.ts';
import type { FixedShape } from '#contract/fixed-shape.ts';
import type { Quantization, QuantizationAccuracy } from '#contract/quantization.ts';
import type { Batching, RunRules } from '#contract/batching.ts';
import type { SparseSettings } from '#contract/sparse.ts';

/** Table rows about the vectors of a sentence_embedding model; empty for other models. */
export function sentenceFacts(
  manifest: Pick<Manifest, 'sentence' | 'width' | 'tokenOutputs' | 'staticForm'>,
): [string, string][] {
  const { sentence, tokenOutputs } = manifest;
  if (!sentence) return [];
  const width = vectorWidth(manifest);
  const {
    table,
    pooling,
    layers = [],
    normalize,
    dimensions = width,
    similarity,
    prompts,
    defaultPrompt,
  } = sentence;
  const steps = [
    table
      ? `mean of the vectors of all tokens (a table of ${table.rows} rows)`
      : [pooling]
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
    ...(table?.distilled ? [['Distilled', distilledText(table, width)] satisfies [string, string]] : []),
    ...staticFormFacts(manifest),
    ...(similarity ? [['Similarity', similarity] satisfies [string, string]] : []),
    ...(names.length > 0 ? [['Prompts', names.join(', ')] satisfies [string, string]] : []),
  ];
}

/** Table rows about the images that a model reads; empty for models that read texts. */
export function imageFacts({
  images,
  detection,
}: Pick<Manifest, 'images' | 'detection'>): [string, string][] {
  if (!images) return [];
  const { threshold = DEFAULT_THRESHOLD } = detection ?? {};
  return [
    ['Images', `scaled to ${imageSizeText(images.recipe)}`],
    ...(detection ? [['Objects', `with a score above ${threshold}`] satisfies [string, string]] : []),
  ];
}

/** The size to which images are scaled, for people. */
export function imageSizeText(recipe: ImageRecipe): string {
  const size = tensorSize(recipe);
  if (!size) return 'any size';
  return `${size.isLargest ? 'at most ' : ''}${size.height} x ${size.width} pixels`;
}

/** The table row about the static form; empty for files with only one form. */
export const staticFormFacts = ({ staticForm }: Pick<Manifest, 'staticForm'>): [string, string][] =>
  staticForm ? [['Static form', distilledText(staticForm.sentence.table, staticForm.width)]] : [];

const NORMALIZED = 'L2-normalized';

const FROM: Record<Pooling, string> = {
  mean: 'mean of all tokens',
  cls: 'first token (cls)',
  max: 'maximum over all tokens',
  last: 'last token',
  none: 'pooled by the model',
  mean_sqrt_len_tokens: 'sum of all tokens divided by the square root of their number',
  weightedmean: 'mean of all tokens, weighted by position',
};

function layerText(layer: LayerSettings): string {
  if (layer.kind === 'normalize') return NORMALIZED;
  if (layer.kind === 'layer_norm') return 'LayerNorm';
  const { inputs, outputs, activation } = layer;
  return `Dense ${inputs} to ${outputs}${activation === 'identity' ? '' : ` (${activation})`}`;
}

/** The table row about the prompt of a generative reranker; empty for other models. */
export function pairFacts({ pairPrompt }: Pick<Manifest, 'pairPrompt'>): [string, string][] {
  if (!pairPrompt) return [];
  const { first, instructed = first, second } = pairPrompt;
  const templates = second === undefined ? [instructed] : [instructed, second];
  return [['Prompt', templates.map((template) => JSON.stringify(template)).join(' and ')]];
}

/** Table rows about queries and documents of a multi_vector model; empty for other models. */
export function multiVectorFacts({ multiVector }: Pick<Manifest, 'multiVector'>): [string, string][] {
  if (!multiVector) return [];
  const rows = TEXT_ROLES.map((role): [string, string] => [LABELS[role], rulesText(multiVector[role])]);
  const vectors = multiVector.normalize ? 'one per token, L2-normalized' : 'one per token';
  return [['Vectors', vectors], ...rows];
}

const LABELS = { query: 'Queries', document: 'Documents' };

function rulesText({ marker, maxLength, expansion, skipped = [] }: TextRules): string {
  const parts = [
    `up to ${maxLength} tokens`,
    ...(marker ? [`marked with ${JSON.stringify(marker.token)}`] : []),
    ...(expansion ? [`padded with ${expansion.token}${expansion.isAttended ? ' (attended to)' : ''}`] : []),
    ...(skipped.length > 0 ? [`${skipped.length} vocabulary tokens without a vector`] : []),
  ];
  return parts.join(', ');
}

/** The table row about the scores of a sequence classification model; empty for other models. */
export const scoreFacts = ({ scoreFunction }: Pick<Manifest, 'scoreFunction'>): [string, string][] =>
  scoreFunction ? [['Scores', DESCRIPTIONS[scoreFunction]]] : [];

const DESCRIPTIONS: Record<ScoreFunction, string> = {
  softmax: 'softmax of the logits',
  sigmoid: 'sigmoid of each logit',
  none: 'the logits (regression)',
};

/**
 * Table rows about the graph: its fixed shape, what the build changed and how it was quantized;
 * empty if there is nothing to report.
 */
export const graphFacts = (manifest: Manifest): [string, string][] => {
  const { fixedShape, graphChanges = [] } = manifest;
  return [
    ...(fixedShape ? [['Shape', shapeFact(fixedShape)] satisfies [string, string]] : []),
    ...(graphChanges.length === 0 ? [] : [['Changes', graphChanges.join('; ')] satisfies [string, string]]),
    ...quantizationFacts(manifest),
  ];
};

function shapeFact({ texts, tokens }: FixedShape): string {
  const shape = `fixed shape [${texts ?? 'any'}, ${tokens ?? 'any'}]`;
  const effect = tokens === undefined ? '' : `; every text is padded to ${tokens} tokens`;
  return `${shape}${effect}. For speed, export with dynamic axes`;
}

/** Table rows about the quantization of a model; empty if it was not quantized. */
function quantizationFacts({ quantization, images }: Manifest): [string, string][] {
  if (!quantization) return [];
  const { form, products, quantized, kept = [], accuracy } = quantization;
  return [
    ['Quantized', `${FORMS[form]}, ${quantized} of ${products} matrix products`],
    ...(kept.length === 0 ? [] : [['Kept', `${kept.join(', ')}: float32`] satisfies [string, string]]),
    ['Accuracy', accuracyText(accuracy, images ? 'images' : 'texts')],
  ];
}

const FORMS: Readonly<Record<Quantization['form'], string>> = {
  int8: 'int8',
  bf16: 'bf16 on arm64 CPUs that support it',
};

/** Describes the static form of an encoder in one line. */
export const distilledText = (table: TokenTableSettings | undefined, width: number): string =>
  `${width} dimensions` +
  (table?.distilled
    ? `, ${Math.round(table.distilled.neighbors * 100)}% of the ten nearest texts of each of ${table.distilled.texts} texts are the same`
    : '');

/** Describes in one line how close a quantized model's results are to those in float32. */
export function accuracyText(accuracy: QuantizationAccuracy, inputs: 'texts' | 'images' = 'texts'): string {
  const { texts, cosine, neighbors, agreement, scoreDifference } = accuracy;
  const parts = [
    ...(cosine ? [`cosine to float32 ${cosineText(cosine.mean)}, lowest ${cosineText(cosine.worst)}`] : []),
    ...(neighbors === undefined ? [] : [`${percent(neighbors)} of nearest ${inputs} kept`]),
    ...(agreement === undefined ? [] : [`${percent(agreement)} of results agree with float32`]),
    ...(scoreDifference === undefined ? [] : [`largest score difference ${scoreDifference.toFixed(3)}`]),
  ];
  return `${parts.join(', ')} (${texts} ${inputs})`;
}

/** Formats a cosine with four digits. It is rounded down, so that it is only 1 for equal directions. */
export const cosineText = (cosine: number): string => (Math.floor(cosine * 1e4) / 1e4).toFixed(4);

const percent = (share: number): string => `${(share * 100).toFixed(1)}%`;

/**
 * Describes the size of a result, for tables: the number of dimensions, or what a zero_shot_ner
 * model scores.
 */
export function outputSize(model: Pick<Manifest, 'entities' | 'sentence' | 'width'>): string {
  if (!model.entities) return `${vectorWidth(model)} dimensions`;
  const { level, maxWidth } = model.entities;
  return level === 'span' ? `spans of up to ${maxWidth} words` : 'scores of words';
}

/** Describes which texts share a run, for tables. */
export function batchingText({ batching = 'any', fixedShape }: RunRules): string {
  if (fixedShape?.texts === 1) return 'one text at a time, because the graph has this fixed shape';
  const count = fixedShape?.texts === undefined ? '' : `, ${fixedShape.texts} per run`;
  return `${TEXT[batching]}${count}`;
}

const TEXT: Readonly<Record<Batching, string>> = {
  any: 'any texts together',
  equal_length: 'only texts with the same number of tokens together',
  single: 'one text at a time, because batching changes the results of this model',
};

/** Formats a model's license in one line: `apache-2.0`, or `other: llama3 (https://…)`. */
export function licenseText({ id, name, link }: ModelLicense): string {
  return `${id}${name === undefined ? '' : `: ${name}`}${link === undefined ? '' : ` (${link})`}`;
}

/** Rows with a model's license and origin, for tables that describe a file. */
export function licenseFacts({ license, card = {} }: Pick<Manifest, 'license' | 'card'>): [string, string][] {
  return [
    ['License', license ? `${licenseText(license)}, ${LICENSE_FROM[license.source]}` : NOT_STATED],
    ...rows(card),
  ];
}

/** Only the first line, because the `licenses` command prints the whole text. */
function shortCitation(citation: string): string {
  const [first = '', ...others] = citation.split('\n');
  return others.length === 0 ? first : `${first} …`;
}

export const NOT_STATED = 'not stated';

const LICENSE_FROM: Record<ModelLicense['source'], string> = {
  config: 'from the build configuration',
  card: 'from the model card',
  file: 'from a license file',
};

function rows({ baseModels = [], languages = [], tags = [], citation }: CardFacts): [string, string][] {
  const lists: [string, readonly string[]][] = [
    ['Based on', baseModels],
    ['Languages', languages],
    ['Tags', tags],
    ['Citation', citation === undefined ? [] : [shortCitation(citation)]],
  ];
  return lists.filter(([, items]) => items.length > 0).map(([name, items]) => [name, items.join(', ')]);
}

/** Table rows about the vectors of a sparse_embedding model; empty for other models. */
export function sparseFacts({ sparse }: { readonly sparse?: SparseSettings }): [string, string][] {
  if (!sparse) return [];
  const { pooling, activation, similarity } = sparse;
  const logarithm = activation === 'relu' ? 'log(1 + x)' : 'log(1 + log(1 + x))';
  return [
    [
      'Vector',
      pooling === 'none' ? 'pooled by the model' : `${POOLED_BY[pooling]} of ${logarithm} of the logits`,
    ],
    ['Similarity', similarity],
  ];
}

const POOLED_BY = { max: 'maximum over all tokens', sum: 'sum over all tokens' } as const;
