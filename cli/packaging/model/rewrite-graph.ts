import { readFile, writeFile } from 'node:fs/promises';
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { configError } from '#contract/errors.ts';
import { MODEL_TYPES } from '#contract/model-types.ts';
import type { FixedShape } from '#contract/fixed-shape.ts';
import { type GraphProto, ModelProtoSchema } from '#gen/onnx/v1/onnx_pb.ts';
import { withFileSource } from '#platform/file-source.ts';
import { adaptInputs } from '../onnx/adapt-inputs.ts';
import {
  appendProjection,
  HIDDEN_STATES,
  isProjected,
  type ProjectionLayer,
} from '../onnx/append-projection.ts';
import { checkSignature, type Signature, type SignatureRequest } from '../onnx/check-signature.ts';
import { checkWordInputs, isWordInput } from '../onnx/word-inputs.ts';
import { dequantizeLate } from '../onnx/dequantize-late.ts';
import { embeddingRows, precisionOf } from '../onnx/facts.ts';
import { findFixedShape } from '../onnx/find-fixed-shape.ts';
import { joinAnswerOutputs } from '../onnx/join-answer-outputs.ts';
import { keepOutputs } from '../onnx/keep-outputs.ts';
import type { MatchedInput } from '../onnx/matched-input.ts';
import {
  addTokenOutputs,
  exportedOutputs,
  type TokenHeads,
  type TokenOutputNames,
} from '../onnx/token-outputs.ts';
import type { SparseSettings } from '#contract/sparse.ts';
import { appendSparsePooling, SPARSE_OUTPUT } from '../onnx/append-sparse-pooling.ts';
import { GraphAppender } from '../onnx/graph-appender.ts';
import { MASKED_OUTPUT, selectMasked } from '../onnx/mask-positions.ts';
import { splitSkipNorms } from '../onnx/split-skip-norms.ts';
import { findFirstPosition } from './find-first-position.ts';
import type { EntityModel } from './entity-model.ts';
import type { OptimizedGraph, OptimizeRequest } from './optimize-graph.ts';
import type { PreparedTokenizer } from './prepare-tokenizer.ts';
import { pushAll } from '#core/values/push-all.ts';

export interface GraphRequest extends SignatureRequest, OptimizeRequest {
  /** Whether the user chose the maximum length, which is then not reduced. */
  readonly isLengthChosen: boolean;
  /** `model_type` of config.json. */
  readonly family: unknown;
  /** Layers that follow the hidden states of a multi_vector model. */
  readonly projection?: readonly ProjectionLayer[] | undefined;
  /** How texts are read, for zero_shot_ner models. */
  readonly entities?: EntityModel | undefined;
  /** Settings of a sparse_embedding model, whose pooling is added to the graph unless it pools itself. */
  readonly sparse?: SparseSettings | undefined;
  /** Id of the mask token of a fill_mask model. */
  readonly maskId?: number | undefined;
  /** Whether outputs for each token are kept, next to the vectors of a sentence_embedding model, and the layers that compute them. */
  readonly tokenOutputs?: { readonly heads: TokenHeads | undefined } | undefined;
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
  /** Whether the pooling of a sparse_embedding model was added. */
  readonly pools: boolean;
  /** Outputs for each token next to the vectors of a sentence_embedding model; undefined if there are none. */
  readonly tokenOutputs: TokenOutputNames | undefined;
  /** What was changed in the graph for the runtime, one sentence each. */
  readonly changes: readonly string[];
  /** The graph as it was written. */
  readonly graph: GraphProto;
}

/**
 * Rewrites an optimized model for the runtime, in place: inputs have the names and types that are fed, and only float32 outputs that are
 * needed remain.
 */
export async function rewriteGraph(
  request: GraphRequest,
  { tokenizer, settings }: PreparedTokenizer,
  { graphPath, weightsPath, integers }: OptimizedGraph,
): Promise<RewrittenGraph> {
  const { file: model, family, sparse, maskId } = request;
  const proto = fromBinary(ModelProtoSchema, await readFile(graphPath));
  const graph = proto.graph;
  if (!graph) throw configError(`${model} has no graph. Export the model to ONNX again.`);

  const joins =
    request.modelType === 'question_answering' &&
    request.output === undefined &&
    joinAnswerOutputs(graph, MODEL_TYPES.question_answering.output);
  const { matched, ...found } = checkSignature(graph, request);
  const words = matched.filter(isWordInput);
  const tokens = matched.filter((input) => !isWordInput(input));
  const fixedShape = findFixedShape(tokens, model);
  if (request.entities) checkWordInputs(words, request.entities.settings, fixedShape, model);
  checkVocabulary(embeddingRows(graph, ownName(matched, 'input_ids')), tokenizer.vocabularySize, model);
  const positions = matched.find(({ name }) => name === 'position_ids')?.value.name;
  const firstPosition =
    positions === undefined
      ? 0
      : await withFileSource(weightsPath, (weights) =>
          findFirstPosition({ graph, input: positions, family, padId: settings.padId, weights }),
        );
  const precision = precisionOf(graph);
  if (integers === 'keep') dequantizeLate(graph);
  splitSkipNorms(graph);
  const changes = adaptInputs(graph, tokens, model);
  if (joins) changes.push('Outputs start_logits and end_logits are joined');
  if (firstPosition > 0) changes.push(`Positions start at ${firstPosition}, after the padding id`);
  const exported = request.tokenOutputs && exportedOutputs(graph);
  keepOutputs(graph, [found.output.name, ...(exported ? [exported.sparse, exported.multiVector] : [])]);
  const pools = sparse !== undefined && found.output.shape.length > SPARSE_OUTPUT.shape.length;
  if (pools && fixedShape?.tokens !== undefined && !found.inputs.includes('attention_mask'))
    throw configError(
      `${model} has inputs of a fixed length and no attention_mask, so its vectors would contain padding. Export the model with an attention_mask, or with dynamic axes.`,
    );
  if (pools) appendSparsePooling(proto, graph, found.output.name, sparse);
  const selects = maskId !== undefined && found.output.name !== MASKED_OUTPUT.name;
  if (selects) {
    const g = new GraphAppender(proto, graph, 'masked');
    g.finish(selectMasked(g, found.output.name, maskId), MASKED_OUTPUT);
  }
  const output = pools ? SPARSE_OUTPUT : selects ? MASKED_OUTPUT : found.output;
  const signature = { ...found, output };
  pushAll(changes, projectVectors(graph, request));
  const heads = exported || signature.output.shape.length < 3 ? undefined : request.tokenOutputs?.heads;
  const tokenOutputs = heads ? addTokenOutputs(graph, signature.output.name, heads) : exported;
  if (heads) changes.push('Outputs with a weight and a vector for each token are added');
  await writeFile(graphPath, toBinary(ModelProtoSchema, proto));
  return {
    graphPath,
    weightsPath,
    signature,
    precision,
    fixedShape,
    firstPosition: firstPosition === 0 ? undefined : firstPosition,
    changes,
    pools,
    tokenOutputs,
    graph,
  };
}

/** Adds the projection of a multi_vector model to a graph that ends with hidden states. Returns what was changed. */
function projectVectors(graph: GraphProto, { projection, output: chosen, file }: GraphRequest): string[] {
  const [output] = graph.output;
  if (!projection || !output) return [];
  if (projection.length > 0) {
    if (isProjected(output, projection)) return [];
    appendProjection(graph, projection);
    return [`Vectors are projected to ${projection.at(-1)?.outputs} dimensions`];
  }
  if (chosen !== undefined || !HIDDEN_STATES.has(output.name)) return [];
  throw configError(
    `${file} returns \`${output.name}\`, but the model has no projection: neither a Dense module in modules.json nor linear.weight. Add the files of the model, or set \`output: ${output.name}\` if these are its vectors.`,
  );
}

const ownName = (inputs: readonly MatchedInput[], wanted: string): string =>
  inputs.find(({ name }) => name === wanted)?.value.name ?? wanted;

function checkVocabulary(rows: number | undefined, vocabularySize: number, model: string): void {
  if (rows === undefined || vocabularySize <= rows) return;
  throw configError(
    `tokenizer.json has ${vocabularySize} tokens, but ${model} has only ${rows}. Both must come from the same model.`,
  );
}
