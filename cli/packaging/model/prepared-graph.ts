import type { Batching } from '#contract/batching.ts';
import type { TokenOutputs } from '#contract/embedding-outputs.ts';
import type { FixedShape } from '#contract/fixed-shape.ts';
import type { TokenTableSettings } from '#contract/token-table.ts';
import type { Tensor } from '#core/tensor/tensor.ts';
import type { GraphProto, ModelProto } from '#gen/onnx/v1/onnx_pb.ts';
import type { OnnxTools } from '../../adapters/onnxruntime.ts';
import type { Signature, SignatureRequest, SignatureRules } from '../onnx/check-signature.ts';
import type { MatchedInput } from '../onnx/match-inputs.ts';
import type { SelectedOutput } from '../onnx/select-output.ts';
import type { TokenOutputNames } from '../onnx/token-outputs.ts';
import type { OptimizeRequest } from './optimize-graph.ts';
import type { PreparedTokenizer } from './prepare-tokenizer.ts';
import type { Manifest } from '#contract/manifest.ts';
import type { FoundFiles } from './locate-files.ts';

/** A graph to prepare, and the known facts about its model. */
export interface GraphRequest extends SignatureRequest, OptimizeRequest {
  /** Whether the user chose the maximum length. If so, it is not reduced. */
  readonly isLengthChosen: boolean;
  /** `model_type` of config.json. */
  readonly family: unknown;
  readonly rules: GraphRules;
}

/**
 * What a model type requires of a graph, and how it changes it. A type without rules uses the graph
 * unchanged.
 */
export interface GraphRules extends SignatureRules {
  /**
   * Before an output is chosen, joins outputs of an export into the output that the runtime reads.
   * Returns descriptions of the changes.
   */
  readonly joinOutputs?: (graph: GraphProto) => string[];
  /** Checks the inputs other than tokens. */
  readonly checkInputs?: (inputs: readonly MatchedInput[], fixedShape: FixedShape | undefined) => void;
  /** Returns the outputs to keep in addition to the chosen output. */
  readonly keptOutputs?: (graph: GraphProto) => readonly string[];
  /** Adds this type's steps to the end of a graph with float32 outputs. */
  readonly extend?: (graph: ExtendedGraph) => GraphExtension;
  /** Whether only the first row of each text in this output is read, unless a request asks for the vectors of all tokens. */
  readonly readsFirstRow?: (output: SelectedOutput) => boolean;
  /** Whether the build numbered tokens of the tokenizer, so that it must have as many as the model. */
  readonly hasAddedTokens?: boolean;
  /** Number of tokens of the tokenizer for labels, if a second encoder reads them. */
  readonly labelVocabulary?: number | undefined;
  /** Runs texts through a graph that has inputs other than tokens. */
  readonly tryOut?: TryOut;
  /** Describes the size of a result, for messages. Default: the size of the output's last axis. */
  readonly size?: string;
  /** Changes the calibration tokens of a text before quantization. */
  readonly calibrate?: (ids: readonly number[]) => readonly number[];
}

interface ExtendedGraph extends Signature {
  readonly proto: ModelProto;
  readonly graph: GraphProto;
  readonly fixedShape: FixedShape | undefined;
}

interface GraphExtension {
  /** The output to use instead of the chosen one; undefined if the chosen output is still used. */
  readonly output?: SelectedOutput;
  /** Outputs with one row per token, in addition to the chosen output. */
  readonly tokenOutputs?: TokenOutputNames | undefined;
  /** The changes, one sentence each. */
  readonly changes?: readonly string[];
}

export interface RewrittenGraph {
  readonly graphPath: string;
  readonly weightsPath: string;
  readonly signature: Signature;
  readonly precision: string;
  /** Fixed sizes that each run must use; undefined if the graph accepts any. */
  readonly fixedShape: FixedShape | undefined;
  /** Position of a text's first token; undefined if it is 0, or if the graph has no `position_ids`. */
  readonly firstPosition: number | undefined;
  readonly tokenOutputs: TokenOutputNames | undefined;
  /** Changes that had to be made to the graph for the runtime, one sentence each. */
  readonly changes: readonly string[];
  /** The graph as written to the file. */
  readonly graph: GraphProto;
}

/** Facts that are only known after running a graph. */
export interface TriedGraph {
  /** Size of the output's last axis. */
  readonly width: number;
  /** Which texts can share a run. */
  readonly batching: Batching;
  /** Maximum number of tokens per text. */
  readonly maxLength: number;
  /** The output for each sample text when run alone. */
  readonly samples: readonly Tensor[];
}

/** The dependencies of a graph run. */
export type RunnableGraph = Pick<
  RewrittenGraph,
  'graphPath' | 'graph' | 'signature' | 'fixedShape' | 'firstPosition'
>;

/** A tested graph and its file, which can differ from the original file if a test changed the graph. */
export type TriedFile = TriedGraph & Pick<RunnableGraph, 'graphPath'>;

type TryOut = (
  runtime: OnnxTools,
  request: GraphRequest,
  tokenizer: PreparedTokenizer,
  graph: RewrittenGraph,
  folder: string,
) => Promise<TriedFile>;

/** Facts about the outputs with one row per token, determined by running the graph. */
export interface TriedTokenOutputs {
  readonly sparse: Pick<TokenOutputs['sparse'], 'output'>;
  readonly multiVector: TokenOutputs['multiVector'];
}

export type PreparedGraph = Omit<RewrittenGraph, 'graph' | 'graphPath' | 'tokenOutputs'> &
  TriedGraph & {
    /** Undefined if the model is static. */
    readonly graphPath: string | undefined;
    readonly tokenOutputs: TriedTokenOutputs | undefined;
    /** The table of a static model, which the weights consist of. */
    readonly table?: TokenTableSettings;
  };

/** A prepared model, with everything that is appended to the base runtime. */
export interface PreparedModel {
  readonly files: FoundFiles;
  /** Undefined if the model reads images. */
  readonly tokenizer: PreparedTokenizer | undefined;
  readonly graph: Pick<PreparedGraph, 'graphPath' | 'weightsPath'>;
  /** Lua source of the transform, if the model has one. */
  readonly transform: string | undefined;
  /** Weights of the modules after pooling, if the model has any. */
  readonly layers: Uint8Array | undefined;
  /** The tokenizer.json of the second encoder, if the model has one. */
  readonly labelTokenizer: string | undefined;
  /**
   * Path of the graph of the encoder of images, for models with another one for texts. Both graphs read the
   * same file of weights.
   */
  readonly imageGraphPath: string | undefined;
  /** Path of the table of the static form, if the file contains both forms. */
  readonly staticTable: string | undefined;
  /** Contents of the license and notice files next to the model. */
  readonly licenseText: string | undefined;
  /** Text of the model card. */
  readonly cardText: string | undefined;
  readonly manifest: Manifest;
}
