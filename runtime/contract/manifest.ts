import type { Batching } from './batching.ts';
import type { ModelType } from './model-types.ts';
import type { ScoreFunction } from './score-function.ts';
import type { SentenceSettings } from './sentence.ts';
import type { TransformSettings } from './transform.ts';

/** What the executable must know of its model before it loads it: the `manifest` section, JSON. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly modelType: ModelType;
  /** The builder, as `encoderfile 0.1.0`. */
  readonly builtBy: string;
  /** Hash of where the config file is, seen from the output: a build replaces the output of its own config only. */
  readonly origin?: string;
  /** Graph inputs in the model's own order; they are fed by name. */
  readonly inputs: readonly InputName[];
  readonly output: string;
  /** Size of the output's last axis: hidden size, or number of labels. */
  readonly width: number;
  /** Element type of the model's weights, as ONNX names it: float32, float16, int8 ... */
  readonly precision: string;
  /** Which texts share a run; absent in files of older builders, where it is `any`. */
  readonly batching?: Batching;
  /** Label of each output index; absent for embeddings. */
  readonly id2label?: Readonly<Record<string, string>>;
  /** Only of sequence_classification models. */
  readonly scoreFunction?: ScoreFunction;
  readonly tokenizer: TokenizerSettings;
  /** Only of models with a transform. */
  readonly transform?: TransformSettings;
  /** Only of sentence_embedding models. */
  readonly sentence?: SentenceSettings;
}

export const INPUT_NAMES = ['input_ids', 'attention_mask', 'token_type_ids', 'position_ids'] as const;
export type InputName = (typeof INPUT_NAMES)[number];

export interface TokenizerSettings {
  /** Longest input in tokens, special tokens included; longer texts are cut. */
  readonly maxLength: number;
  readonly truncationSide: 'left' | 'right';
  readonly padId: number;
  /** One more than the greatest token id. */
  readonly vocabularySize: number;
  /** Whether tokens that continue a word are marked (`##ing`). */
  readonly marksSubwords: boolean;
  /** The token for what the vocabulary does not have. */
  readonly unknown?: { readonly id: number; readonly token: string };
}

/** What a runtime is made of: the `runtime` section, JSON. */
export interface RuntimeInfo {
  /** The program inside, where it is not the one that runs models. */
  readonly program?: 'manager' | 'gateway';
  readonly version: string;
  readonly platform: string;
  readonly node: string;
  /** Only where models run. */
  readonly onnxruntime?: string;
  readonly tokenizers?: string;
  /** Names the exact inputs this runtime was made from; also the name of its place in the cache. */
  readonly key: string;
  readonly parts: readonly RuntimePart[];
}

export interface RuntimePart {
  readonly name: string;
  /** Bytes in the executable, and the same unpacked where it is stored compressed. */
  readonly bytes: number;
  readonly unpackedBytes?: number;
}
