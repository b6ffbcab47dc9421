import type { ModelProto } from '#gen/onnx/v1/onnx_pb.ts';
import { GraphAppender } from '../onnx/graph-appender.ts';
import type { MatMulGroup } from './find-matmuls.ts';
import type { GraphFile } from '../onnx/graph-file.ts';
import { addStatistics, appendRowMaxima, appendStatistics, type InputStatistics } from './probe-graph.ts';
import type { Scaling } from './matmul-nodes.ts';
import type { RoundedGroup } from './round-group.ts';
import type { Ids, Trial } from './trial.ts';
import { greatest } from '#core/numbers/extremes.ts';

/** Runs calibration texts and collects the statistics of all hidden states that matrix multiplications read. */
export async function collectStatistics(
  file: GraphFile,
  groups: readonly MatMulGroup[],
  batches: readonly (readonly Ids[])[],
  trial: Trial,
): Promise<Map<string, InputStatistics>> {
  const widths = new Map(
    groups.flatMap(({ inputs, matmuls: [first] }) =>
      inputs.map((input) => [input, first?.inputs ?? 0] as const),
    ),
  );
  const probe = await file.write('statistics', (model) => appendStatistics(appenderOf(model), widths));
  const statistics = new Map<string, InputStatistics>();
  for (const batch of batches)
    addStatistics(statistics, await trial.together(probe.path, probe.result.name, batch), widths);
  return statistics;
}

/**
 * A constant scale rounds all tokens with the step of the largest one: where the steps of tokens differ so much that the noise of rounding
 * is more than this factor larger than with a scale for each token, tokens get their own.
 */
const MAX_NOISE = 3;
/** Texts of users may have larger values than those of the calibration. */
const MARGIN = 1.1;

/** Chooses how the hidden states of each group are rounded. */
export async function chooseScalings(
  file: GraphFile,
  rounded: ReadonlyMap<MatMulGroup, RoundedGroup>,
  batches: readonly (readonly Ids[])[],
  trial: Trial,
): Promise<ReadonlyMap<MatMulGroup, Scaling>> {
  const entries = [...rounded].flatMap(([{ inputs }, { factors }]) =>
    inputs.map((input) => [input, factors] as const),
  );
  const probe = await file.write('maxima', (model) => appendRowMaxima(appenderOf(model), new Map(entries)));
  const largest = new Map<string, number>();
  const squares = new Map<string, number>();
  let tokens = 0;
  for (const batch of batches) {
    const maxima = await trial.together(probe.path, probe.result.name, batch);
    const count = maxima.length / entries.length;
    tokens += count;
    for (const [at, [input]] of entries.entries()) {
      const ofInput = maxima.subarray(at * count, (at + 1) * count);
      largest.set(
        input,
        ofInput.reduce((most, value) => Math.max(most, value), largest.get(input) ?? 0),
      );
      squares.set(
        input,
        ofInput.reduce((sum, value) => sum + value * value, squares.get(input) ?? 0),
      );
    }
  }
  return new Map(
    [...rounded.keys()].map((group): [MatMulGroup, Scaling] => {
      const most = MARGIN * greatest(group.inputs.map((input) => largest.get(input) ?? 0));
      const typical = group.inputs.reduce((sum, input) => sum + (squares.get(input) ?? 0), 0);
      const noise = (most * most * tokens * group.inputs.length) / Math.max(typical, Number.MIN_VALUE);
      return [group, noise <= MAX_NOISE ? { kind: 'constant', largest: most } : { kind: 'token' }];
    }),
  );
}

function appenderOf(model: ModelProto): GraphAppender {
  if (!model.graph) throw new Error('The model has no graph');
  return new GraphAppender(model, model.graph, 'probe');
}
