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
 * What is special to the build of a model type: one file for each type, listed in `build-types.ts`. A build reads the settings of a model,
 * then its tokenizer, then its graph; each step returns what the next one needs.
 */
export interface BuildType<Type extends ModelType = ModelType> {
  /** What shows that a model is of this type. */
  readonly guess: (evidence: Evidence) => Clue[] | Promise<Clue[]>;
  /** A type that is often meant in place of this one, for those who did not choose it. */
  readonly alternative?: Alternative;
  /** The file with the settings of the model. Default: config.json, which a model can do without. */
  readonly settingsFile?: SettingsFile;
  /** The text of a pair that is truncated, or read in windows, because the other one must be read as a whole. */
  readonly truncatedText?: TokenizerSettings['truncatedText'];
  /** Options without which `infer` rejects a text. */
  readonly inferOptions?: string;
  /** Reads the settings of a model from its files. */
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
  /** Repository of the model, or its folder. */
  readonly name: string;
}

/** A model whose settings were read. */
export interface ReadModel<Type extends ModelType = ModelType> {
  readonly modelConfig: ModelConfig;
  readonly tokenizer?: TokenizerDefaults;
  /** Settings of the model that are not used, one sentence each. */
  readonly problems?: readonly string[];
  /** Reads what depends on the tokenizer. */
  readonly withTokenizer: (
    tokenizer: PreparedTokenizer,
  ) => TokenizedModel<Type> | Promise<TokenizedModel<Type>>;
}

/** A model whose tokenizer was loaded. */
interface TokenizedModel<Type extends ModelType = ModelType> {
  /** The output of a graph that the build writes from safetensors. */
  readonly write: WriteOutput;
  readonly rules: GraphRules;
  /** Combines the settings with what runs of the graph have shown. */
  readonly withGraph: (graph: PreparedGraph) => FinishedModel<Type> | Promise<FinishedModel<Type>>;
}

/** A model whose graph was tried. */
export interface FinishedModel<Type extends ModelType = ModelType> {
  /** Turns the output for one text into what users compare; undefined if models of this type are not quantized. */
  readonly compare?: Compare;
  /** Weights of the modules that follow pooling: the section `layers`. */
  readonly layers?: Uint8Array | undefined;
  /** Reports choices that the build made for the user. */
  readonly report?: (report: Reporter) => void;
  /** How texts longer than the maximum are read. Default: as the config states. */
  readonly windows?: (maxLength: number) => WindowSettings;
  /** The members of the manifest that only this type has, for the graph that is written. */
  readonly facts: (graph: PreparedGraph) => TypeFacts<Type> | Promise<TypeFacts<Type>>;
}
