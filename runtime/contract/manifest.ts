import type { Batching } from './batching.ts';
import type { TokenOutputs } from './embedding-outputs.ts';
import type { DetectionSettings } from './detection.ts';
import type { Device } from './devices.ts';
import type { EntitySettings } from './entity-settings.ts';
import type { FixedShape } from './fixed-shape.ts';
import type { ImageSettings, TowerSettings, SimilarityScale } from './image-settings.ts';
import type { ModelType } from './model-types.ts';
import type { MultiVectorSettings } from './multi-vector.ts';
import type { PairPrompt } from './pair-prompt.ts';
import type { Quantization } from './quantization.ts';
import type { ScoreFunction } from './score-function.ts';
import type { SentenceSettings } from './sentence.ts';
import type { SparseSettings } from './sparse.ts';
import type { TokenizerSettings } from './tokenizer-settings.ts';
import type { TransformSettings } from './transform.ts';

/**
 * The facts about a model that an executable needs before it loads the model. They are stored as
 * JSON in the `manifest` section.
 */
export type Manifest = { [Type in ModelType]: ManifestOf<Type> }[ModelType];

/**
 * The manifest of models of one type. The members for other types have the type undefined, so that
 * they can be read before the model type is known.
 */
type ManifestOf<Type extends ModelType> = CommonFacts & TypeFacts<Type> & FactsOfOthers<Type>;

/** The members that only models of one type, or of some types, have. */
export type TypeFacts<Type extends ModelType = ModelType> = {
  [Name in Type]: { readonly modelType: Name } & FactsOfTypes[Name];
}[Type];

interface FactsOfTypes {
  readonly embedding: unknown;
  readonly sparse_embedding: { readonly sparse: SparseSettings };
  readonly fill_mask: { readonly mask: MaskToken };
  readonly sequence_classification: Partial<Labels> & {
    /** Undefined in files from older builders, which means `softmax`. */
    readonly scoreFunction?: ScoreFunction;
    /** The prompt for pairs; undefined if the model is not a generative model. */
    readonly pairPrompt?: PairPrompt;
  };
  readonly zero_shot_classification: Labels;
  readonly question_answering: unknown;
  readonly token_classification: Labels;
  readonly zero_shot_ner: { readonly entities: EntitySettings };
  readonly sentence_embedding: {
    readonly sentence: SentenceSettings;
    /** Token outputs in addition to text vectors; undefined if the model has none. */
    readonly tokenOutputs?: TokenOutputs;
    /** The static form of the model; undefined if the file contains only one form. */
    readonly staticForm?: StaticForm;
  };
  readonly multi_vector: {
    /** Settings for queries and documents. */
    readonly multiVector: MultiVectorSettings;
  };
  readonly image_classification: Partial<Labels> & {
    readonly scoreFunction: ScoreFunction;
    readonly images: ImageSettings;
  };
  readonly image_embedding: {
    readonly sentence: SentenceSettings;
    readonly images: ImageSettings;
  };
  readonly image_segmentation: Partial<Labels> & { readonly images: ImageSettings };
  readonly object_detection: Partial<Labels> & {
    readonly detection: DetectionSettings;
    readonly images: ImageSettings;
  };
  readonly image_text_embedding: TowersFacts;
  readonly zero_shot_image_classification: TowersFacts & {
    readonly similarityScale: SimilarityScale;
    readonly scoreFunction: ScoreFunction;
  };
}

/** The facts about a model with an encoder of texts and an encoder of images. */
interface TowersFacts {
  readonly sentence: SentenceSettings;
  readonly images: TowerSettings;
}

/**
 * The facts about the static form of a model in which it differs from the model, for files that contain
 * both forms. The section `static` contains its table.
 */
export interface StaticForm {
  readonly inputs: readonly InputName[];
  readonly output: string;
  readonly width: number;
  readonly precision: string;
  readonly tokenizer: TokenizerSettings;
  readonly sentence: SentenceSettings;
}

interface Labels {
  /** Label of each output index. */
  readonly id2label: Readonly<Record<string, string>>;
}

type FactName = { [Type in ModelType]: keyof FactsOfTypes[Type] }[ModelType];
type FactsOfOthers<Type extends ModelType> = {
  readonly [Name in Exclude<FactName, keyof FactsOfTypes[Type]>]?: never;
};

/** The members that models of all types can have. */
interface CommonFacts {
  readonly name: string;
  readonly version: string;
  /** Name and version of the builder, for example `encoderfile 0.1.0`. */
  readonly builtBy: string;
  /**
   * Hash of the relative path from the output to the config file. A build only overwrites outputs
   * that were built from its own config file.
   */
  readonly origin?: string;
  /** Graph inputs in the order of the model. The runtime passes them by name. */
  readonly inputs: readonly InputName[];
  readonly output: string;
  /** Size of the output's axis with values: the hidden size, or the number of labels. Usually, it is the last axis. */
  readonly width: number;
  /** Element type of the model's weights in ONNX notation: float32, float16, int8 ... */
  readonly precision: string;
  /** Which texts can share a run. Undefined in files from older builders, which means `any`. */
  readonly batching?: Batching;
  /** Fixed sizes that each run must use; undefined if the graph accepts any. */
  readonly fixedShape?: FixedShape;
  /** Value of `position_ids` for the first token, for graphs with this input; undefined means 0. */
  readonly firstPosition?: number;
  /** Changes that the build made to the graph, one sentence each; undefined if there are none. */
  readonly graphChanges?: readonly string[];
  /** How the build quantized the model; undefined if the model was not quantized. */
  readonly quantization?: Quantization;
  /** How texts longer than the maximum are read in windows; undefined if they are truncated. */
  readonly windows?: WindowSettings;
  /**
   * Number of attention heads, from which the memory for long texts is estimated; undefined if
   * config.json does not state it.
   */
  readonly attentionHeads?: number;
  readonly tokenizer: TokenizerSettings;
  /** The default of `--device`; undefined if the configuration does not set it. */
  readonly device?: Device;
  /** Transform settings, only for models with a transform. */
  readonly transform?: TransformSettings;
  /** The source of the model; undefined if the config contains a path for each file. */
  readonly source?: ModelSourceFacts;
  /** The model's license; undefined if it is not stated. */
  readonly license?: ModelLicense;
  /** Facts from the model card; undefined if there are none. */
  readonly card?: CardFacts;
}

/** The token that marks a word to predict. */
export interface MaskToken {
  readonly id: number;
  readonly token: string;
}

export interface ModelSourceFacts {
  /** Path of the graph in the model folder, for example `onnx/model_fp16.onnx`. */
  readonly graph: string;
  /** Repository and revision, if the folder is in the Hugging Face cache. */
  readonly repository?: string;
  readonly revision?: string;
}

export interface WindowSettings {
  /** Number of tokens that adjacent windows share. For zero_shot_ner models, this is a number of words. */
  readonly stride: number;
}

export interface ModelLicense {
  /** SPDX id, or a short text such as the title of a license file. */
  readonly id: string;
  /** Name and URL of a license without an SPDX id, from the model card. */
  readonly name?: string;
  readonly link?: string;
  /**
   * Where the license is stated: the build configuration, the model card, or a license file next to
   * the model.
   */
  readonly source: 'config' | 'card' | 'file';
}

export interface CardFacts {
  readonly languages?: readonly string[];
  /** Models that this one was trained or converted from. */
  readonly baseModels?: readonly string[];
  readonly tags?: readonly string[];
  /** How to cite the model: BibTeX, or the text of CITATION.cff. */
  readonly citation?: string;
}

export const INPUT_NAMES = ['input_ids', 'attention_mask', 'token_type_ids', 'position_ids'] as const;
export type TokenInputName = (typeof INPUT_NAMES)[number];
/** Additional inputs of zero_shot_ner models, which describe each text's words and word spans. */
export const WORD_INPUT_NAMES = ['words_mask', 'text_lengths', 'span_idx', 'span_mask'] as const;
export type WordInputName = (typeof WORD_INPUT_NAMES)[number];
/**
 * Additional inputs of zero_shot_ner models with a second encoder, which reads the entity types of a
 * request: token inputs with a prefix, with one row for each type.
 */
export type LabelInputName = `${typeof LABEL_PREFIX}${TokenInputName}`;
export const LABEL_PREFIX = 'labels_';
export const LABEL_INPUT_NAMES = INPUT_NAMES.map((name): LabelInputName => `${LABEL_PREFIX}${name}`);
/**
 * Additional input of models with an adapter for each task: the index of the adapter for each text,
 * repeated for all its tokens; -1 for none.
 */
export const ADAPTER_INPUT = 'adapter_ids';
/**
 * Additional input of models whose texts' vectors are those of the first token: the number of tokens, counted from the
 * first, for which the last layer is computed (docs/decisions/0203).
 */
export const ROWS_INPUT = 'computed_rows';
/** The input of models that read images: the values of the pixels of each channel. */
export const PIXEL_INPUT = 'pixel_values';
export type InputName =
  | TokenInputName
  | WordInputName
  | LabelInputName
  | typeof ADAPTER_INPUT
  | typeof ROWS_INPUT
  | typeof PIXEL_INPUT;

/** Components of a runtime, stored as JSON in the `runtime` section. */
export interface RuntimeInfo {
  /** The program in the file, if it is not the model server. */
  readonly program?: 'encoderfile' | 'manager' | 'gateway';
  readonly version: string;
  readonly platform: string;
  readonly node: string;
  /** Version of ONNX Runtime, only if the program runs models. */
  readonly onnxruntime?: string;
  readonly tokenizers?: string;
  /** Hash of the exact inputs of this runtime, which is also part of its name in the cache. */
  readonly key: string;
  readonly parts: readonly RuntimePart[];
}

export interface RuntimePart {
  readonly name: string;
  /** Size in the executable, and the unpacked size if the component is compressed. */
  readonly bytes: number;
  readonly unpackedBytes?: number;
}
