import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ASSETS } from '#contract/assets.ts';
import type { GraphProto, ModelProto } from '#gen/onnx/v1/onnx_pb.ts';
import { withFileSource } from '#platform/file-source.ts';
import type { OnnxTools } from '../../adapters/onnxruntime.ts';
import { type InputStatistics, addStatistics, appendRowMaxima, appendStatistics } from './probe-graph.ts';
import { Candidates, type RoundedModel, writeAlone, chooseForm } from './candidates.ts';
import { reasonAgainst } from './accuracy.ts';
import { findMatMuls, groupMatMuls, type MatMulGroup } from './find-matmuls.ts';
import { GraphFile } from '../onnx/graph-file.ts';
import { roundGroup, type RoundedGroup, roundTables } from './round-group.ts';
import {
  NO_MATRICES,
  noMatrices,
  notAccurate,
  type QuantizationRequest,
  type QuantizedGraph,
} from './quantization-request.ts';
import { RunMeter } from './run-meter.ts';
import { Trial } from './trial.ts';
import { WeightsWriter } from './weights-file.ts';
import { GraphAppender } from '#core/onnx/graph-appender.ts';
import type { Scaling } from './matmul-nodes.ts';
import { greatest } from '#core/numbers/extremes.ts';

/** Name of the file for integer matrices and tables. */
const INTEGERS = 'integers.bin';
/**
 * Number of calibration samples for comparing candidates. Held-out samples are not used, so that the
 * choice does not depend on them.
 */
const TRIED_SAMPLES = 24;

/** Quantizes a graph to the fastest int8 form that is accurate enough. Writes its files to `folder`. */
export async function quantizeModel<Sample>(
  runtime: OnnxTools,
  request: QuantizationRequest<Sample>,
  folder: string,
): Promise<QuantizedGraph | { readonly reason: string }> {
  const { graphPath, weightsPath, thresholds, calibration, heldOut, isOptional } = request;
  const file = await GraphFile.read(graphPath);
  const { graph } = file.model();
  const groups = groupMatMuls(graph ? findMatMuls(graph) : []);
  if (!graph || groups.length === 0) {
    if (isOptional) return { reason: `it has ${NO_MATRICES}` };
    throw noMatrices(request);
  }
  const tried = calibration.slice(-TRIED_SAMPLES);
  const meter = new RunMeter(request.onRuns);
  // The statistics, the scales, the first form and the accuracy, each compared with the original.
  meter.plan(2 * (calibration.length + tried.length + heldOut.length));
  if (isOptional) meter.plan(2 * ROUNDS * Math.min(TIMED_SAMPLES, calibration.length));
  const trial = new Trial(runtime, request.samples, meter);
  const batches = request.samples.evenBatches(calibration);
  const statistics = await collectStatistics(file, groups, batches, trial);
  const integersPath = join(dirname(graphPath), INTEGERS);
  const rounded = await roundModel({ graph, groups, statistics }, weightsPath, integersPath);
  const scalings = await chooseScalings(file, rounded.groups, batches, trial);
  const candidates = new Candidates(file, rounded, trial, request);
  const { path, form } = await chooseForm(candidates, scalings, tried, thresholds, meter);
  const accuracy = await candidates.accuracy(path, heldOut);
  const against = reasonAgainst(accuracy, thresholds);
  if (against !== undefined) {
    if (isOptional) return { reason: against };
    throw notAccurate(request, 'int8', against);
  }
  if (isOptional && !(await isFaster(trial, request, path)))
    return { reason: 'its int8 version is not faster on this machine' };
  const kept = groups.filter((group) => !form.has(group)).flatMap(({ matmuls }) => matmuls);
  const products = groups.reduce((count, group) => count + group.matmuls.length, 0);
  await mkdir(folder);
  const sources = [
    { name: ASSETS.weights, path: weightsPath },
    { name: INTEGERS, path: integersPath },
  ];
  return {
    ...(await writeAlone(path, sources, folder)),
    quantization: {
      form: 'int8',
      products,
      quantized: products - kept.length,
      ...(kept.length === 0 ? {} : { kept: kept.map(({ weight }) => weight.name) }),
      accuracy,
    },
  };
}

async function roundModel(
  {
    graph,
    groups,
    statistics,
  }: {
    readonly graph: GraphProto;
    readonly groups: readonly MatMulGroup[];
    readonly statistics: ReadonlyMap<string, InputStatistics>;
  },
  weightsPath: string,
  integersPath: string,
): Promise<RoundedModel> {
  const writer = new WeightsWriter(integersPath, INTEGERS);
  const rounded = new Map<MatMulGroup, RoundedGroup>();
  const tables = await withFileSource(weightsPath, async (weights) => {
    for (const group of groups) rounded.set(group, await roundGroup(group, statistics, weights, writer));
    return await roundTables(graph, weights, writer);
  });
  await writer.finish();
  return { groups: rounded, tables };
}

/** Whether a graph takes less CPU time than the original graph on this machine. */
async function isFaster<Sample>(
  trial: Trial<Sample>,
  { graphPath, output, calibration }: QuantizationRequest<Sample>,
  path: string,
): Promise<boolean> {
  const samples = calibration.slice(-TIMED_SAMPLES);
  const times = { original: Infinity, quantized: Infinity };
  for (let round = 0; round < ROUNDS; round += 1) {
    times.original = Math.min(times.original, await trial.processorTime(graphPath, output, samples));
    times.quantized = Math.min(times.quantized, await trial.processorTime(path, output, samples));
  }
  return times.quantized < times.original;
}

const TIMED_SAMPLES = 8;
/** The first run is not measured, because it also loads the weights. */
const ROUNDS = 4;

/**
 * Runs calibration samples and collects the statistics of all hidden states that matrix
 * multiplications read.
 */
async function collectStatistics<Sample>(
  file: GraphFile,
  groups: readonly MatMulGroup[],
  batches: readonly (readonly Sample[])[],
  trial: Trial<Sample>,
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
 * Maximum factor by which a constant scale can increase the rounding noise, because it rounds all
 * tokens with the step size for the largest one. Above this factor, each token gets its own scale.
 */
const MAX_NOISE = 3;
/** Reserve for users' texts, which can have larger values than the calibration texts. */
const MARGIN = 1.1;

/** Chooses how each group's hidden states are rounded. */
async function chooseScalings<Sample>(
  file: GraphFile,
  rounded: ReadonlyMap<MatMulGroup, RoundedGroup>,
  batches: readonly (readonly Sample[])[],
  trial: Trial<Sample>,
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
