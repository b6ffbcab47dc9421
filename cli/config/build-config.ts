import type { Device } from '#contract/devices.ts';
import type { DistillForm } from '#contract/token-table.ts';
import type { HubReference } from './hub-reference.ts';
import type { TypeFields } from '#contract/config-schema.ts';
import type { TokenInputName } from '#contract/manifest.ts';
import type { QuantizeForm } from '#contract/quantization.ts';
import type { ModelType } from '#contract/model-types.ts';
import type { TokenizerOptions } from '#contract/tokenizer-options.ts';
import type { LibraryName, TransformLimits } from '#contract/transform.ts';

/**
 * A build configuration with defaults applied, variables expanded and paths resolved, as the rest
 * of the CLI uses it.
 */
export interface BuildConfig<Model = ModelSource> {
  /** The config file, as the user named it. */
  readonly file: string;
  readonly name: string;
  readonly version: string;
  /** The default of `--device` in executables, if the user stated one. */
  readonly device: Device | undefined;
  /** The model's license, if the user stated one. */
  readonly license: string | undefined;
  readonly modelType: ModelType;
  readonly model: Model;
  /**
   * The variables in this path are expanded, but it is still relative to the current directory,
   * which is not known here.
   */
  readonly outputPath: string | undefined;
  readonly cacheDir: string | undefined;
  /** Name of the target platform, as in the config file. */
  readonly target: string | undefined;
  readonly baseBinaryPath: string | undefined;
  readonly transform: TransformSource | undefined;
  readonly validateTransform: boolean;
  readonly luaLibs: readonly LibraryName[];
  readonly transformLimits: TransformLimits;
  readonly build: boolean;
  /** The graph output that the user chose. */
  readonly output: string | undefined;
  /** The graph's names for its inputs, keyed by their purpose. */
  readonly inputs: Partial<Readonly<Record<TokenInputName, string>>>;
  /** Maximum tokens per text that the user chose. */
  readonly maxLength: number | undefined;
  /** Whether integer weights stay integers. */
  readonly keepsIntegers: boolean;
  readonly tokenizer: TokenizerOptions;
  /** Whether and how matrix products use fewer bits than float32. */
  readonly quantize: QuantizeSettings;
  /** Whether a static form is built, and whether the model stays in the file. */
  readonly distill: DistillSettings;
  /** Settings for texts longer than the maximum; undefined if they are truncated. */
  readonly windows: { readonly stride: number | undefined } | undefined;
  /** Config fields that only models of this type have. */
  readonly typeFields: TypeFields;
}

/** How to quantize a model. */
export interface QuantizeSettings {
  /** With `auto`, a model stays in float32 if its int8 form is not accurate enough or not faster. */
  readonly form: QuantizeForm;
  /** A file with calibration texts, also for static forms; undefined to use the built-in ones. */
  readonly calibration: string | undefined;
  readonly minCosine: number;
  readonly minAgreement: number;
}

/** How to make the static form of a model. */
export interface DistillSettings {
  readonly form: DistillForm;
  readonly dimensions: number;
  readonly minNeighbors: number;
}

export type ModelSource =
  | {
      readonly kind: 'folder';
      readonly folder: string;
      /** Which of the folder's graphs to use, if it has several. */
      readonly variant: string | undefined;
      /** The folder with the tokenizer, if the model uses that of another model. */
      readonly tokenizerFolder?: string | undefined;
      /** The folder with the tokenizer of the second encoder, if the model uses that of another model. */
      readonly labelFolder?: string | undefined;
    }
  | {
      readonly kind: 'files';
      readonly modelConfig: string;
      readonly weights: string;
      readonly tokenizer: string;
      readonly tokenizerConfig: string | undefined;
    };

/** A model on the hub; it is replaced by a folder once its files are downloaded. */
interface HubSource {
  readonly kind: 'hub';
  readonly reference: HubReference;
  readonly variant: string | undefined;
}

/** A configuration as written in its file. */
export type UnfetchedConfig = BuildConfig<ModelSource | HubSource>;

export type TransformSource =
  /** `line` is the line in the YAML file where the script begins, so that Lua errors can point to it. */
  | { readonly kind: 'inline'; readonly source: string; readonly line: number }
  | { readonly kind: 'file'; readonly path: string };
