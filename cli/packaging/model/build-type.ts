import type { ModelType } from '#contract/model-types.ts';
import type { TokenizerSettings, TypeFacts, WindowSettings } from '#contract/manifest.ts';
import type { BuildConfig } from '../../config/build-config.ts';
import type { Compare } from '../quantize/accuracy.ts';
import type { Reporter } from '../reporter.ts';
import type { WriteOutput } from '../architectures/write-graph.ts';
import type { Clue, Evidence } from './evidence.ts';
import type { ModelConfig } from './model-config.ts';
import type { ModelFiles, SettingsFile } from './locate-files.ts';
import type { GraphRules, PreparedGraph } from './prepared-graph.ts';
import type { PreparedTokenizer, TokenizerDefaults } from './prepare-tokenizer.ts';

/**
 * The build rules of a model type: one file per type, listed in `build-types.ts`. A build reads a
 * model's settings, then its tokenizer, then its graph; each step returns what the next one needs.
 */
export interface BuildType<Type extends ModelType = ModelType> {
  /** The clues that a model is of this type. */
  readonly guess: (evidence: Evidence) => Clue[] | Promise<Clue[]>;
  /** A type that is often meant instead of this one, for users who did not choose it. */
  readonly alternative?: Alternative;
  /** The model's settings file. Default: config.json, which is optional for some models. */
  readonly settingsFile?: SettingsFile;
  /** The text of a pair that is truncated or read in windows; the other one must be read as a whole. */
  readonly truncatedText?: TokenizerSettings['truncatedText'];
  /** Options that `infer` requires for a text. */
  readonly inferOptions?: string;
  /** Reads a model's settings from its files. */
  readonly read: (request: ReadModelRequest) => Promise<ReadModel<Type>>;
}

interface Alternative {
  readonly type: ModelType;
  /** What the guessed type does, as a sentence and as a phrase. */
  readonly sentence: string;
  readonly phrase: string;
  /** What the other type returns. */
  readonly returns: string;
}

export interface ReadModelRequest {
  readonly config: BuildConfig;
  readonly files: ModelFiles;
  /** The model's repository, or its folder. */
  readonly name: string;
}

/** A model whose settings have been read. */
export interface ReadModel<Type extends ModelType = ModelType> {
  readonly modelConfig: ModelConfig;
  readonly tokenizer?: TokenizerDefaults;
  /** Unused settings of the model, one sentence each. */
  readonly problems?: readonly string[];
  /** Reads what depends on the tokenizer. */
  readonly withTokenizer: (
    tokenizer: PreparedTokenizer,
  ) => TokenizedModel<Type> | Promise<TokenizedModel<Type>>;
}

/** A model whose tokenizer has been loaded. */
interface TokenizedModel<Type extends ModelType = ModelType> {
  /** The output of a graph that the build writes from safetensors. */
  readonly write: WriteOutput;
  readonly rules: GraphRules;
  /** Combines the settings with what runs of the graph have shown. */
  readonly withGraph: (graph: PreparedGraph) => FinishedModel<Type> | Promise<FinishedModel<Type>>;
}

/** A model whose graph has been run. */
export interface FinishedModel<Type extends ModelType = ModelType> {
  /**
   * Converts the output for one text to what users compare; undefined if models of this type are
   * not quantized.
   */
  readonly compare?: Compare;
  /** Weights of the modules after pooling: the section `layers`. */
  readonly layers?: Uint8Array | undefined;
  /** Reports choices that the build made for the user. */
  readonly report?: (report: Reporter) => void;
  /** How texts longer than the maximum are read. Default: as the config states. */
  readonly windows?: (maxLength: number) => WindowSettings;
  /** Manifest members that only this type has, for the graph that is written. */
  readonly facts: (graph: PreparedGraph) => TypeFacts<Type> | Promise<TypeFacts<Type>>;
}
