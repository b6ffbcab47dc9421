import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { ScoreFunction } from '#contract/score-function.ts';
import { argmax } from '#core/numbers/argmax.ts';
import { applyScoreFunction } from '#core/numbers/score-function.ts';
import type { Transformed } from '#transform/transform.ts';
import { shortestFloat32 } from '#core/numbers/float32.ts';
import type { Manifest } from '#contract/manifest.ts';
import { greatestIndexes } from '#core/numbers/greatest-indexes.ts';
import { finiteOutput, type Inference } from '../math/inference.ts';
import type { Task } from './task.ts';
import { writeTokenFloats } from './token-info.ts';

interface SequenceClassificationResult {
  readonly logits: Float32Array;
  readonly scores: Float32Array;
  readonly predicted_index: number;
  readonly predicted_label?: string;
  readonly top?: readonly RankedLabel[];
}

interface RankedLabel {
  readonly index: number;
  readonly label: string;
  readonly score: number;
}

export const sequenceClassificationTask: Task<SequenceClassificationResult> = {
  details: false,
  printedAs: 'predictions',
  sharedFlags: ['top-k'],
  printOptions: (flags) => ({ topK: flags.count('top-k') }),

  result({ values, transformed }, manifest, { topK }) {
    const { id2label, scoreFunction } = manifest;
    const logits = finiteOutput(values, manifest);
    const { scores, index } = labelScores(logits, { scoreFunction, transformed });
    const label = id2label?.[index];
    return {
      logits,
      scores,
      predicted_index: index,
      ...(label === undefined ? {} : { predicted_label: label }),
      ...(topK === undefined ? {} : { top: rank(scores, topK, id2label) }),
    };
  },

  proto({ logits, scores, predicted_index, predicted_label }) {
    const writer = new BinaryWriter();
    writeTokenFloats(writer, 1, logits);
    writeTokenFloats(writer, 2, scores);
    if (predicted_index !== 0) writer.tag(3, WireType.Varint).uint32(predicted_index);
    if (predicted_label !== undefined) writer.tag(4, WireType.LengthDelimited).string(predicted_label);
    return writer.finish();
  },

  printed(inference, { manifest }, { topK }) {
    const { predicted_label, predicted_index, scores, top } = sequenceClassificationTask.result(
      inference,
      manifest,
      { topK },
    );
    return {
      label: predicted_label ?? String(predicted_index),
      score: shortestFloat32(scores[predicted_index] ?? 0),
      ...(top === undefined ? {} : { top }),
    };
  },
};

function rank(
  scores: Float32Array,
  count: number,
  id2label: Readonly<Record<string, string>> | undefined,
): RankedLabel[] {
  return greatestIndexes(scores, count).map((index) => ({
    index,
    label: id2label?.[index] ?? String(index),
    score: shortestFloat32(scores[index] ?? 0),
  }));
}

/** Which labels to return. Default: all labels. */
export interface LabelOptions {
  readonly of: 'scores' | 'logits';
  readonly count?: number | undefined;
}

/** Labels in the form of the Inference API, in which labels without a name have a number. */
export function rankedLabels(
  { values, transformed }: Inference,
  manifest: Manifest,
  { of, count }: LabelOptions,
): { label: string; score: number }[] {
  const { id2label, scoreFunction } = manifest;
  const logits = finiteOutput(values, manifest);
  const { scores } =
    of === 'logits' ? { scores: logits } : labelScores(logits, { scoreFunction, transformed });
  return greatestIndexes(scores, count ?? scores.length).map((index) => ({
    label: id2label?.[index] ?? `LABEL_${index}`,
    score: shortestFloat32(scores[index] ?? 0),
  }));
}

interface LabelScores {
  readonly scores: Float32Array;
  /** Index of the predicted label. */
  readonly index: number;
}

/**
 * Returns the scores for one row of logits and the predicted label. If the model has a transform,
 * row `row` of its result can contain scores, which replace those of the score function, or the
 * index of a label, which replaces the index of the highest score.
 */
export function labelScores(
  logits: Float32Array,
  {
    scoreFunction = 'softmax',
    transformed,
    row = 0,
  }: { scoreFunction?: ScoreFunction | undefined; transformed?: Transformed | undefined; row?: number },
): LabelScores {
  if (transformed?.kind === 'scores') {
    const scores = transformed.data.subarray(row * logits.length, (row + 1) * logits.length);
    return { scores, index: argmax(scores) };
  }
  return {
    scores: applyScoreFunction(scoreFunction, logits),
    index: transformed?.data[row] ?? argmax(logits),
  };
}
