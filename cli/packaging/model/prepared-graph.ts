import type { Batching } from '#contract/batching.ts';
import type { TokenOutputs } from '#contract/embedding-outputs.ts';
import type { FixedShape } from '#contract/fixed-shape.ts';
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
import type { ModelFiles } from './locate-files.ts';

/** A graph to prepare, and what is known of its model. */
export interface GraphRequest extends SignatureRequest, OptimizeRequest {
  /** Whether the user chose the maximum length, which is then not reduced. */
  readonly isLengthChosen: boolean;
  /** `model_type` of config.json. */
  readonly family: unknown;
  readonly rules: GraphRules;
}

/** What a model type requires of a graph, and what it changes. A type without rules uses the graph as it is. */
export interface GraphRules extends SignatureRules {
  /** Joins outputs of an export to the one that the runtime reads, before an output is chosen. Returns what was changed. */
  readonly joinOutputs?: (graph: GraphProto) => string[];
  /** Checks the inputs that are not about tokens. */
  readonly checkInputs?: (inputs: readonly MatchedInput[], fixedShape: FixedShape | undefined) => void;
  /** Outputs that are kept next to the chosen one. */
  readonly keptOutputs?: (graph: GraphProto) => readonly string[];
  /** Adds the steps of this type to the end of a graph, whose outputs are float32. */
  readonly extend?: (graph: ExtendedGraph) => GraphExtension;
  /** Runs a graph whose inputs are not only tokens. */
  readonly tryOut?: TryOut;
  /** The size of a result, for messages. Default: that of the last axis of the output. */
  readonly size?: string;
  /** Changes the tokens of a text that a quantization is calibrated with. */
  readonly calibrate?: (ids: readonly number[]) => readonly number[];
}

interface ExtendedGraph extends Signature {
  readonly proto: ModelProto;
  readonly graph: GraphProto;
  readonly fixedShape: FixedShape | undefined;
}

interface GraphExtension {
  /** The output after the change; undefined if it is still the one that was chosen. */
  readonly output?: SelectedOutput;
  /** Outputs with a row for each token, next to the one that was chosen. */
  readonly tokenOutputs?: TokenOutputNames | undefined;
  /** What was changed, one sentence each. */
  readonly changes?: readonly string[];
}

export interface RewrittenGraph {
  readonly graphPath: string;
  readonly weightsPath: string;
  readonly signature: Signature;
  readonly precision: string;
  /** Sizes that each run must have; undefined if the graph accepts any. */
  readonly fixedShape: FixedShape | undefined;
  /** Position of the first token; undefined if it is 0, or if the graph has no `position_ids`. */
  readonly firstPosition: number | undefined;
  readonly tokenOutputs: TokenOutputNames | undefined;
  /** What was changed in the graph for the runtime, one sentence each. */
  readonly changes: readonly string[];
  /** The graph as it was written. */
  readonly graph: GraphProto;
}

/** What is only known after running a graph. */
export interface TriedGraph {
  /** Size of the output's last axis. */
  readonly width: number;
  /** Which texts can share a run. */
  readonly batching: Batching;
  /** Maximum number of tokens of a text. */
  readonly maxLength: number;
  /** The output for each sample text when run alone. */
  readonly samples: readonly Tensor[];
}

/** What a run of a graph needs. */
export type RunnableGraph = Pick<
  RewrittenGraph,
  'graphPath' | 'graph' | 'signature' | 'fixedShape' | 'firstPosition'
>;

/** Which file was tried: a type, or the trial itself, can write another one. */
export type TriedFile = TriedGraph & Pick<RunnableGraph, 'graphPath'>;

type TryOut = (
  runtime: OnnxTools,
  request: GraphRequest,
  tokenizer: PreparedTokenizer,
  graph: RewrittenGraph,
  folder: string,
) => Promise<TriedFile>;

/** Outputs for each token, as they were found by running them. */
export interface TriedTokenOutputs {
  readonly sparse: Pick<TokenOutputs['sparse'], 'output'>;
  readonly multiVector: TokenOutputs['multiVector'];
}

export type PreparedGraph = Omit<RewrittenGraph, 'graph' | 'tokenOutputs'> &
  TriedGraph & {
    readonly tokenOutputs: TriedTokenOutputs | undefined;
  };

/** A prepared model: everything that is written in addition to the base runtime. */
export interface PreparedModel {
  readonly files: ModelFiles;
  readonly tokenizer: PreparedTokenizer;
  readonly graph: PreparedGraph;
  /** Lua source of the transform, if the model has one. */
  readonly transform: string | undefined;
  /** Weights of the modules that follow pooling, if there are any. */
  readonly layers: Uint8Array | undefined;
  /** Texts of the licenses and notices that are next to the model. */
  readonly licenseText: string | undefined;
  /** Text of the model card. */
  readonly cardText: string | undefined;
  readonly manifest: Manifest;
}
