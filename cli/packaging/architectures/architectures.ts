import { lookup } from '#core/values/lookup.ts';
import { DETECTORS, type DetectorArchitecture } from './detectors.ts';
import type { EncoderGraph } from './encoder-graph.ts';
import { albert } from './encoders/albert.ts';
import { bart } from './encoders/bart.ts';
import { bert, roberta } from './encoders/bert.ts';
import { clipText, clipTextVector } from './encoders/clip.ts';
import { debertaV1, debertaV2 } from './encoders/deberta.ts';
import { distilbert } from './encoders/distilbert.ts';
import { ernie } from './encoders/ernie.ts';
import { esm } from './encoders/esm.ts';
import { eurobert } from './encoders/eurobert.ts';
import { gemma } from './encoders/gemma.ts';
import { gemma2 } from './encoders/gemma2.ts';
import { gemma3 } from './encoders/gemma3.ts';
import { gte } from './encoders/gte.ts';
import { jinaBert } from './encoders/jina-bert.ts';
import { layoutlm } from './encoders/layoutlm.ts';
import { lfm2 } from './encoders/lfm2.ts';
import { lilt } from './encoders/lilt.ts';
import { longformer } from './encoders/longformer.ts';
import { mistral } from './encoders/mistral.ts';
import { modernbert } from './encoders/modernbert.ts';
import { mpnet } from './encoders/mpnet.ts';
import { nomicBert } from './encoders/nomic-bert.ts';
import { qwen2 } from './encoders/qwen2.ts';
import { qwen3 } from './encoders/qwen3.ts';
import { siglipText, siglipTextVector } from './encoders/siglip.ts';
import { t5 } from './encoders/t5.ts';
import { isFlash, xlmRobertaFlash } from './encoders/xlm-roberta-flash.ts';
import { xlmRobertaXl } from './encoders/xlm-roberta-xl.ts';
import type { Value } from './graph-writer.ts';
import {
  albertHead,
  answerHead,
  bartHead,
  debertaHead,
  distilbertHead,
  electraHead,
  eurobertHead,
  modernbertHead,
  modernbertTokenHead,
  pooledHead,
  lastTokenHead,
  scoreHead,
  robertaHead,
  type HeadName,
  type TextHead,
  tokenHead,
  albertMaskedHead,
  bertMaskedHead,
  debertaMaskedHead,
  distilbertMaskedHead,
  electraMaskedHead,
  eurobertMaskedHead,
  modernbertMaskedHead,
  robertaMaskedHead,
} from './heads.ts';
import {
  clipVisionTower,
  IMAGE_ARCHITECTURES,
  type ImageArchitecture,
  siglipVisionTower,
} from './image-architectures.ts';

/** An encoder of texts. */
export interface TextArchitecture {
  readonly input: 'tokens';
  /** Prefixes of weight names in models with a head. Versions of transformers use different prefixes. */
  readonly prefixes: readonly string[];
  /**
   * Writes the encoder; returns its token vectors, one per row. `head` is the head that reads them, if
   * there is one.
   */
  readonly encode: (g: EncoderGraph, head?: HeadName) => Value;
  // The heads below are undefined if a build cannot write them.
  readonly textHead?: TextHead;
  readonly tokenHead?: TextHead;
  readonly answerHead?: TextHead;
  /** Writes the masked-LM head, which returns logits over the vocabulary. */
  readonly maskedHead?: TextHead;
  /**
   * Writes the encoder and the pooling of the model's own code, for texts that share a space with images.
   * `padId` is the id of padding.
   */
  readonly textVector?: (g: EncoderGraph, padId: number) => Value;
}

/** A model with an encoder of texts and an encoder of images, whose vectors share a space. */
interface TowersArchitecture {
  readonly input: 'tokens or pixels';
  readonly prefixes: readonly string[];
  readonly text: TextArchitecture;
  readonly image: ImageArchitecture;
}

export type Architecture = TextArchitecture | ImageArchitecture | DetectorArchitecture | TowersArchitecture;

const likeBert = { input: 'tokens', tokenHead, answerHead, textHead: pooledHead } as const;
const likeRoberta: TextArchitecture = {
  input: 'tokens',
  prefixes: ['roberta.'],
  encode: roberta,
  textHead: robertaHead,
  tokenHead,
  answerHead,
  maskedHead: robertaMaskedHead,
};

const likeQwen = {
  input: 'tokens',
  // Models with a head for answers use the prefix `transformer.`.
  prefixes: ['model.', 'transformer.'],
  textHead: lastTokenHead,
  tokenHead: scoreHead,
  answerHead,
} as const;

const clipTextTower: TextArchitecture = {
  input: 'tokens',
  prefixes: ['text_model.'],
  encode: clipText,
  textVector: clipTextVector,
};
const siglipTextTower: TextArchitecture = {
  ...clipTextTower,
  encode: siglipText,
  textVector: siglipTextVector,
};

/** Models with two encoders by `model_type` in config.json. */
const TOWERS_ARCHITECTURES = lookup<TowersArchitecture>({
  clip: { input: 'tokens or pixels', prefixes: [], text: clipTextTower, image: clipVisionTower },
  siglip: { input: 'tokens or pixels', prefixes: [], text: siglipTextTower, image: siglipVisionTower },
});

/** Encoders of texts by `model_type` in config.json. */
const TEXT_ARCHITECTURES = lookup<TextArchitecture>({
  albert: {
    ...likeBert,
    prefixes: ['albert.'],
    encode: albert,
    textHead: albertHead,
    maskedHead: albertMaskedHead,
  },
  bart: { input: 'tokens', prefixes: ['model.'], encode: bart, textHead: bartHead, answerHead },
  bert: {
    ...likeBert,
    prefixes: ['bert.'],
    // Jina v2 models have the model type of BERT.
    encode: (g) => (g.config.value('position_embedding_type') === 'alibi' ? jinaBert(g) : bert(g)),
    maskedHead: bertMaskedHead,
  },
  camembert: likeRoberta,
  clip_text_model: clipTextTower,
  deberta: { ...likeBert, prefixes: ['deberta.'], encode: debertaV1, textHead: debertaHead },
  'deberta-v2': {
    ...likeBert,
    prefixes: ['deberta.'],
    encode: debertaV2,
    textHead: debertaHead,
    maskedHead: debertaMaskedHead,
  },
  distilbert: {
    ...likeBert,
    prefixes: ['distilbert.'],
    encode: distilbert,
    textHead: distilbertHead,
    maskedHead: distilbertMaskedHead,
  },
  electra: {
    ...likeBert,
    prefixes: ['electra.'],
    encode: bert,
    textHead: electraHead,
    maskedHead: electraMaskedHead,
  },
  ernie: { ...likeBert, prefixes: ['ernie.'], encode: ernie, maskedHead: bertMaskedHead },
  esm: {
    input: 'tokens',
    prefixes: ['esm.'],
    encode: esm,
    textHead: robertaHead,
    tokenHead,
    maskedHead: robertaMaskedHead,
  },
  eurobert: {
    input: 'tokens',
    prefixes: ['model.'],
    encode: eurobert,
    textHead: eurobertHead,
    tokenHead,
    maskedHead: eurobertMaskedHead,
  },
  modernbert: {
    input: 'tokens',
    prefixes: ['model.'],
    encode: modernbert,
    textHead: modernbertHead,
    tokenHead: modernbertTokenHead,
    answerHead: modernbertTokenHead,
    maskedHead: modernbertMaskedHead,
  },
  gemma: { ...likeQwen, encode: gemma },
  gemma2: { ...likeQwen, encode: gemma2 },
  gemma3_text: { ...likeQwen, encode: gemma3 },
  gte: { ...likeBert, prefixes: ['new.', 'gte.'], encode: gte },
  jina_embeddings_v3: { ...likeRoberta, encode: xlmRobertaFlash },
  // For texts without boxes.
  layoutlm: { ...likeBert, prefixes: ['layoutlm.'], encode: layoutlm, maskedHead: bertMaskedHead },
  lfm2: { input: 'tokens', prefixes: ['model.'], encode: lfm2 },
  lilt: { input: 'tokens', prefixes: ['lilt.'], encode: lilt, textHead: robertaHead, tokenHead, answerHead },
  longformer: { ...likeRoberta, prefixes: ['longformer.'], encode: longformer },
  // LUKE, for texts without entities. Its layers are those of RoBERTa, and its heads those of BERT.
  luke: { ...likeBert, prefixes: ['luke.'], encode: roberta },
  mistral: { ...likeQwen, encode: mistral },
  mpnet: {
    ...likeBert,
    prefixes: ['mpnet.'],
    encode: mpnet,
    textHead: robertaHead,
    maskedHead: robertaMaskedHead,
  },
  new: { ...likeBert, prefixes: ['new.', 'gte.'], encode: gte },
  nomic_bert: { ...likeBert, prefixes: ['bert.', 'nomic_bert.'], encode: nomicBert },
  qwen2: { ...likeQwen, encode: qwen2 },
  qwen3: { ...likeQwen, encode: qwen3 },
  roberta: likeRoberta,
  siglip_text_model: siglipTextTower,
  // The heads for texts and for answers also need the decoder.
  t5: { input: 'tokens', prefixes: ['transformer.'], encode: t5, tokenHead },
  // Jina's models have this type, too.
  'xlm-roberta': {
    ...likeRoberta,
    encode: (g) => (isFlash(g) ? xlmRobertaFlash(g) : roberta(g)),
  },
  'xlm-roberta-flash': { ...likeRoberta, encode: xlmRobertaFlash },
  'xlm-roberta-xl': { ...likeRoberta, encode: xlmRobertaXl },
});

/** Models of texts alone, by `model_type`. A text tower only has a meaning together with its images. */
export const ARCHITECTURE_NAMES: readonly string[] = Object.entries(TEXT_ARCHITECTURES)
  .filter(([, { textVector }]) => textVector === undefined)
  .map(([name]) => name);

/** Whether a build can write the graph of a model with this `model_type`. */
export const canWriteGraph = (modelType: string | undefined): boolean =>
  findArchitecture(modelType) !== undefined;

/** Whether models of this `model_type` are encoders that are trained with masked words. */
export const isMaskedEncoder = (modelType: unknown): boolean =>
  typeof modelType === 'string' && TEXT_ARCHITECTURES[modelType]?.maskedHead !== undefined;

const ALL = lookup<Architecture>({
  ...TEXT_ARCHITECTURES,
  ...IMAGE_ARCHITECTURES,
  ...DETECTORS,
  ...TOWERS_ARCHITECTURES,
});

/** Every `model_type` of which a build can write the graph: models and the towers of models. */
export const ALL_MODEL_TYPES: readonly string[] = Object.keys(ALL);

export const findArchitecture = (modelType: string | undefined): Architecture | undefined =>
  modelType === undefined ? undefined : ALL[modelType];

/** Names of the architectures with this head, or with another part of an encoder of texts. */
export const architecturesWith = (part: keyof TextArchitecture): string[] =>
  Object.entries(TEXT_ARCHITECTURES)
    .filter(([, architecture]) => architecture[part] !== undefined)
    .map(([name]) => name);
