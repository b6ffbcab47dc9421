import { isMapping } from '#core/yaml/describe.ts';

/** What config.json and modules.json state about how a model can be exported. */
export interface ExportFacts {
  readonly modelType: string | undefined;
  readonly architectures: readonly string[];
  readonly kind: 'encoder' | 'decoder' | 'images' | 'audio' | 'table';
  /** Whether the model was saved by transformers 5 or newer. Older versions misread such models. */
  readonly isOfTransformers5: boolean;
  /** Whether the model's repository contains its own Python code. */
  readonly hasOwnCode: boolean;
  readonly isSentenceModel: boolean;
  /**
   * Whether modules after the encoder read its token vectors, so that the encoder's graph must not
   * have a head.
   */
  readonly poolsTokens: boolean;
}

/**
 * Reads facts about an export from config.json and modules.json. Facts that the files do not state
 * are undefined, or have the value for a plain encoder.
 */
export function exportFacts(config: unknown, modules: unknown): ExportFacts {
  const fields = isMapping(config) ? config : {};
  const modelType = textOf(fields['model_type']);
  const architectures = listOf(fields['architectures']).filter((name) => typeof name === 'string');
  const types = listOf(modules).map((module) => (isMapping(module) ? (textOf(module['type']) ?? '') : ''));
  return {
    modelType,
    architectures,
    kind: kindOf(fields, { modelType, architectures, modules: types }),
    isOfTransformers5: Number.parseInt(textOf(fields['transformers_version']) ?? '', 10) >= 5,
    hasOwnCode: isMapping(fields['auto_map']),
    isSentenceModel: types.length > 0,
    poolsTokens: types.length > 0 && !types.some((type) => type.endsWith('MLMTransformer')),
  };
}

interface Named {
  readonly modelType: string | undefined;
  readonly architectures: readonly string[];
  /** Module types of sentence-transformers. */
  readonly modules: readonly string[];
}

function kindOf(
  fields: Readonly<Record<string, unknown>>,
  { modelType = '', architectures, modules }: Named,
): ExportFacts['kind'] {
  if (modules.some((type) => /\bStaticEmbedding$/.test(type)) || TABLES.test(modelType)) return 'table';
  if (architectures.includes('StaticModel')) return 'table';
  if (IMAGE_KEYS.some((key) => fields[key] !== undefined)) return 'images';
  if (AUDIO.test(modelType)) return 'audio';
  // The encoder of an encoder-decoder model can be saved without the decoder.
  const isEncoder = architectures.some((name) => name.endsWith('EncoderModel'));
  return fields['is_encoder_decoder'] === true && !isEncoder ? 'decoder' : 'encoder';
}

const TABLES = /^model2vec$/;
const IMAGE_KEYS = ['vision_config', 'image_size', 'num_channels', 'vision_feature_layer'];
const AUDIO =
  /^(?:wav2vec2|wavlm|hubert|whisper|sew|unispeech|data2vec-audio|speech_to_text|speecht5|clap|audio-spectrogram-transformer|moonshine|vits|musicgen|encodec)/;

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
