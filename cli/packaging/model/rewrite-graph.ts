import { readFile, writeFile } from 'node:fs/promises';
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { configError } from '#contract/errors.ts';
import { pushAll } from '#core/values/push-all.ts';
import { type LabelInputName, ROWS_INPUT } from '#contract/manifest.ts';
import { type GraphProto, ModelProtoSchema } from '#gen/onnx/v1/onnx_pb.ts';
import { withFileSource } from '#platform/file-source.ts';
import { adaptInputs } from '../onnx/adapt-inputs.ts';
import { checkSignature } from '../onnx/check-signature.ts';
import { dequantizeLate } from '../onnx/dequantize-late.ts';
import { embeddingRows, precisionOf } from '#core/onnx/facts.ts';
import { findFixedShape, type MatchedInput, isEntityInput } from '../onnx/match-inputs.ts';
import { keepOutputs } from '../onnx/keep-outputs.ts';
import { selectRowEarly, selectRowsByInput } from '../onnx/select-row-early.ts';
import { splitSkipNorms } from '../onnx/split-skip-norms.ts';
import { findFirstPosition } from './find-first-position.ts';
import type { OptimizedGraph } from './optimize-graph.ts';
import type { PreparedTokenizer } from './prepare-tokenizer.ts';
import type { GraphRequest, GraphRules, RewrittenGraph } from './prepared-graph.ts';

/**
 * Rewrites an optimized model for the runtime, in place: the inputs get the names and types of the
 * tensors that the runtime passes, and only the required outputs remain, as float32.
 */
export async function rewriteGraph(
  request: GraphRequest,
  { tokenizer, settings }: PreparedTokenizer,
  { graphPath, weightsPath, integers }: OptimizedGraph,
): Promise<RewrittenGraph> {
  const { file: model, family, rules } = request;
  const proto = fromBinary(ModelProtoSchema, await readFile(graphPath));
  const graph = proto.graph;
  if (!graph) throw configError(`${model} has no graph. Export the model to ONNX again.`);

  const joined = rules.joinOutputs?.(graph) ?? [];
  const { matched, ...found } = checkSignature(graph, request);
  const others = matched.filter(isEntityInput);
  const tokens = matched.filter((input) => !isEntityInput(input));
  const fixedShape = findFixedShape(tokens, model);
  rules.checkInputs?.(others, fixedShape);
  const rows = embeddingRows(graph, ownName(matched, 'input_ids'));
  checkVocabulary(rows, tokenizer.vocabularySize, model);
  checkLabelVocabulary(graph, rules, model);
  if (rules.hasAddedTokens === true) checkAddedTokens(rows, tokenizer.vocabularySize, model);
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
  const changes = [...adaptInputs(graph, tokens, model), ...joined];
  if (firstPosition > 0) changes.push(`Positions start at ${firstPosition}, after the padding id`);
  keepOutputs(graph, [found.output.name, ...(rules.keptOutputs?.(graph) ?? [])]);
  const extension = rules.extend?.({ proto, graph, fixedShape, ...found });
  pushAll(changes, extension?.changes ?? []);
  const output = extension?.output ?? found.output;
  const inputs = [...found.inputs];
  if (rules.readsFirstRow?.(output) === true && fixedShape === undefined) {
    if (selectRowsByInput(graph, output.name)) inputs.push(ROWS_INPUT);
  } else selectRowEarly(graph);
  await writeFile(graphPath, toBinary(ModelProtoSchema, proto));
  return {
    graphPath,
    weightsPath,
    signature: { ...found, inputs, output },
    precision,
    fixedShape,
    firstPosition: firstPosition === 0 ? undefined : firstPosition,
    changes,
    tokenOutputs: extension?.tokenOutputs,
    graph,
  };
}

const ownName = (inputs: readonly MatchedInput[], wanted: string): string =>
  inputs.find(({ name }) => name === wanted)?.value.name ?? wanted;

/** With fewer tokens than in training, the tokens that were added last would have other ids. */
function checkAddedTokens(rows: number | undefined, vocabularySize: number, model: string): void {
  if (rows === undefined || vocabularySize === rows) return;
  throw configError(
    `The tokenizer has ${vocabularySize} tokens with the special tokens that the build added, but ${model} has ${rows}. Copy the tokenizer files with which the model was trained to the folder of the model.`,
  );
}

function checkLabelVocabulary(graph: GraphProto, { labelVocabulary }: GraphRules, model: string): void {
  const rows = labelVocabulary === undefined ? undefined : embeddingRows(graph, LABEL_IDS);
  if (labelVocabulary === undefined || rows === undefined || labelVocabulary <= rows) return;
  throw configError(
    `The tokenizer for labels has ${labelVocabulary} tokens, but the second encoder in ${model} has only ${rows}. Both must come from the same model.`,
  );
}

const LABEL_IDS: LabelInputName = 'labels_input_ids';

function checkVocabulary(rows: number | undefined, vocabularySize: number, model: string): void {
  if (rows === undefined || vocabularySize <= rows) return;
  throw configError(
    `tokenizer.json has ${vocabularySize} tokens, but ${model} has only ${rows}. Both must come from the same model.`,
  );
}
