import type { ModelType, TextModelType } from '#contract/model-types.ts';
import type { TypeFacts, WindowSettings } from '#contract/manifest.ts';
import type { TokenizerSettings } from '#contract/tokenizer-settings.ts';
import type { BuildConfig } from '../../config/build-config.ts';
import type { Compare } from '../quantize/accuracy.ts';
import type { Reporter } from '../reporter.ts';
import type { OnnxTools } from '../../adapters/onnxruntime.ts';
import type { EncoderPart, WriteOutput } from '../architectures/write-graph.ts';
import type { RunImageGraph } from '../images/prepare-image-graph.ts';
import type { Clue, Evidence } from './evidence.ts';
import type { ModelConfig } from './model-config.ts';
import type { ModelFiles, SettingsFile } from './locate-files.ts';
import type { GraphRules, PreparedGraph } from './prepared-graph.ts';
import type { PreparedTokenizer, TokenizerDefaults } from './prepare-tokenizer.ts';

/** The rules that do not depend on what a model reads. */
export interface GuessedType {
  /** The clues that a model is of this type. */
  readonly guess: (evidence: Evidence) => Clue[] | Promise<Clue[]>;
  /** A type that users often need instead of this one. It is suggested if the type was guessed. */
  readonly alternative?: Alternative;
  /** The model's settings file. Default: config.json, which is optional for some models. */
  readonly settingsFile?: SettingsFile;
  /** Options that the `infer` command of the executable requires in addition to its inputs. */
  readonly inferOptions?: string;
  /** Example inputs of the `infer` command. Default: a text, or an image if the model reads only images. */
  readonly inferInputs?: string;
}

/**
 * The build rules of a model type: one file per type, listed in `build-types.ts`. A build reads a
 * model's settings, then its tokenizer, then its graph. Each of these functions returns the next
 * one.
 */
export interface BuildType<Type extends TextModelType = TextModelType> extends GuessedType {
  /**
   * For models that read text pairs: the text that is truncated or read in windows. The other text
   * must be read as a whole.
   */
  readonly truncatedText?: TokenizerSettings['truncatedText'];
  /** Reads a model's settings from its files. */
  readonly read: (request: ReadModelRequest) => Promise<ReadModel<Type>>;
}

interface Alternative {
  readonly type: ModelType;
  /** The purpose of the guessed type, as a sentence and as a phrase. */
  readonly sentence: string;
  readonly phrase: string;
  /** The results of models of the other type. */
  readonly returns: string;
}

export interface ReadModelRequest {
  readonly config: BuildConfig;
  readonly files: ModelFiles;
  /** Name of the model's repository or folder. */
  readonly name: string;
}

/** A model whose settings have been read. */
export interface ReadModel<Type extends TextModelType = TextModelType> {
  readonly modelConfig: ModelConfig;
  readonly tokenizer?: TokenizerDefaults;
  /** Settings of the model that are not used, one sentence each. */
  readonly problems?: readonly string[];
  /** Determines the settings that depend on the tokenizer. */
  readonly withTokenizer: (
    tokenizer: PreparedTokenizer,
  ) => TokenizedModel<Type> | Promise<TokenizedModel<Type>>;
}

/** A model whose tokenizer has been loaded. */
export interface TokenizedModel<Type extends TextModelType = TextModelType> {
  /** Writes the encoder and head if the build writes the graph from safetensors. */
  readonly write: WriteOutput;
  /** The part of the model that is an encoder. Default: the model in config.json. */
  readonly encoder?: EncoderPart | undefined;
  readonly rules: GraphRules;
  /** Prepares the graph of the encoder of images, for models that have one. Writes files to `folder`. */
  readonly imageEncoder?: (runtime: OnnxTools, folder: string) => Promise<RunImageGraph>;
  /** Combines the settings with facts that were determined by running the graphs. */
  readonly withGraph: (
    graph: PreparedGraph,
    imageGraph?: RunImageGraph,
  ) => FinishedModel<Type> | Promise<FinishedModel<Type>>;
}

/** A model whose graph has been run. */
export interface FinishedModel<Type extends TextModelType = TextModelType> {
  /**
   * Converts the output for one text to a form in which quantized results can be compared with the
   * original ones; undefined if models of this type are not quantized.
   */
  readonly compare?: Compare;
  /** Weights of the modules after pooling: the section `layers`. */
  readonly layers?: Uint8Array | undefined;
  /** The tokenizer.json of the second encoder: the section `label-tokenizer`. */
  readonly labelTokenizer?: string | undefined;
  /** Reports choices that the build made for the user. */
  readonly report?: (report: Reporter) => void;
  /** How texts longer than the maximum are read. Default: as the config states. */
  readonly windows?: (maxLength: number) => WindowSettings;
  /** Returns the manifest members that only this type has, for the final graph. */
  readonly facts: (graph: PreparedGraph) => TypeFacts<Type> | Promise<TypeFacts<Type>>;
}
