import { join } from 'node:path';
import { ASSETS } from '#contract/assets.ts';
import type { QuantizationAccuracy } from '#contract/quantization.ts';
import { withFileSource } from '#platform/file-source.ts';
import { findActivations } from './activations.ts';
import { accuracyOf, type Compare, driftOf, reasonAgainst, type Thresholds } from './accuracy.ts';
import type { MatMulGroup } from './find-matmuls.ts';
import { GraphFile } from '../onnx/graph-file.ts';
import { type Scaling, declareFused, MatMulNodes } from './matmul-nodes.ts';
import type { IntegerTensor, RoundedGroup } from './round-group.ts';
import { RunMeter } from './run-meter.ts';
import type { Trial } from './trial.ts';
import { WeightsWriter } from './weights-file.ts';
import { create } from '@bufbuild/protobuf';
import { type ModelProto, type NodeProto, NodeProtoSchema, type TensorProto } from '#gen/onnx/v1/onnx_pb.ts';
import { castNode } from '#core/onnx/attributes.ts';
import { FLOAT32 } from '#core/onnx/element-types.ts';
import { opsetOf, isRowLookup } from '#core/onnx/facts.ts';
import { nestedNodes } from '../onnx/nested-nodes.ts';

/** A group of matrix multiplications, and how it is computed with integers. */
interface QuantizedGroup {
  /** The matrix multiplications as they are in the original graph. */
  readonly group: MatMulGroup;
  readonly rounded: RoundedGroup;
  readonly scaling: Scaling;
}

/** Replaces matrix multiplications and lookups with their integer versions. Modifies the model's graph. */
function quantizeGraph(
  model: ModelProto,
  groups: readonly QuantizedGroup[],
  tables: ReadonlyMap<string, IntegerTensor>,
): void {
  const { graph } = model;
  if (!graph) return;
  const added = new Map<string, TensorProto>();
  const nodes = new MatMulNodes(opsetOf(model), added);
  const quantized = new Map(
    groups.flatMap(({ group, rounded, scaling }) =>
      group.matmuls.map((matmul) => [matmul.result, { matmul, rounded, scaling }] as const),
    ),
  );
  const activations = findActivations(graph);
  const fused = new Set<NodeProto>();
  graph.node = graph.node.flatMap((node) => {
    const found = quantized.get(node.output[0] ?? '');
    if (found) {
      const { matmul, rounded, scaling } = found;
      const gelu =
        scaling.kind === 'token' && matmul.bias !== undefined ? activations.get(matmul.result) : undefined;
      if (gelu) fused.add(gelu);
      return nodes.write(matmul, rounded, scaling, gelu?.output[0]);
    }
    if (fused.has(node)) return [];
    const table = isRowLookup(node) ? tables.get(node.input[0] ?? '') : undefined;
    return table ? lookUp(node, table, added) : [node];
  });
  declareFused(model);
  const used = new Set([...nestedNodes(graph)].flatMap(({ input }) => input));
  graph.initializer = [...graph.initializer.filter(({ name }) => used.has(name)), ...added.values()];
  graph.valueInfo = [];
}

/** Looks up integer rows, which have a scale each, and converts only these rows. */
function lookUp(
  { input: [, ids = ''], output: [result = ''], attribute }: NodeProto,
  { integers, scales }: IntegerTensor,
  added: Map<string, TensorProto>,
): NodeProto[] {
  for (const tensor of [integers, scales]) added.set(tensor.name, tensor);
  const [row, scale, float] = [`${result}_row`, `${result}_scale`, `${result}_float`];
  const gather = (from: string, to: string): NodeProto =>
    create(NodeProtoSchema, { opType: 'Gather', name: to, input: [from, ids], output: [to], attribute });
  return [
    gather(integers.name, row),
    gather(scales.name, scale),
    castNode(float, row, float, FLOAT32),
    create(NodeProtoSchema, { opType: 'Mul', name: result, input: [float, scale], output: [result] }),
  ];
}

/** How groups of matrix multiplications are computed. Groups that are missing stay in float32. */
export type QuantizedForm = ReadonlyMap<MatMulGroup, Scaling>;

/** A model's matrices and tables, rounded to integers. */
export interface RoundedModel {
  readonly groups: ReadonlyMap<MatMulGroup, RoundedGroup>;
  readonly tables: ReadonlyMap<string, IntegerTensor>;
}

/** Writes a model in different forms, and compares their results with the original. */
export class Candidates<Sample> {
  readonly #file: GraphFile;
  readonly #rounded: RoundedModel;
  readonly #trial: Trial<Sample>;
  readonly #output: string;
  readonly #compare: Compare;
  readonly #originals = new Map<readonly Sample[], Float32Array[]>();
  #count = 0;

  constructor(
    file: GraphFile,
    rounded: RoundedModel,
    trial: Trial<Sample>,
    { output, compare }: { readonly output: string; readonly compare: Compare },
  ) {
    this.#file = file;
    this.#rounded = rounded;
    this.#trial = trial;
    this.#output = output;
    this.#compare = compare;
  }

  /**
   * Writes a form of the model next to the original graph, and returns its path. Both graphs share
   * their weights.
   */
  async write(form: QuantizedForm, tables = this.#rounded.tables): Promise<string> {
    const groups = [...form].map(([group, scaling]) => {
      const rounded = this.#rounded.groups.get(group);
      if (!rounded) throw new Error('A group was not rounded');
      return { group, rounded, scaling };
    });
    this.#count += 1;
    const name = `candidate-${this.#count}`;
    return (await this.#file.write(name, (model) => quantizeGraph(model, groups, tables))).path;
  }

  async accuracy(path: string, samples: readonly Sample[]): Promise<QuantizationAccuracy> {
    const [original, quantized] = await this.#outputs(path, samples);
    const compare = this.#compare;
    return accuracyOf(
      original.map((values) => compare(values)),
      quantized.map((values) => compare(values)),
    );
  }

  async drift(path: string, samples: readonly Sample[]): Promise<number> {
    return driftOf(...(await this.#outputs(path, samples)));
  }

  async #outputs(path: string, samples: readonly Sample[]): Promise<[Float32Array[], Float32Array[]]> {
    const original =
      this.#originals.get(samples) ?? (await this.#trial.alone(this.#file.path, this.#output, samples));
    this.#originals.set(samples, original);
    return [original, await this.#trial.alone(path, this.#output, samples)];
  }
}

/** Writes a graph and the weights that it uses to a separate folder. */
export async function writeAlone(
  path: string,
  weights: readonly { readonly name: string; readonly path: string }[],
  folder: string,
): Promise<{ graphPath: string; weightsPath: string }> {
  const weightsPath = join(folder, ASSETS.weights);
  const writer = new WeightsWriter(weightsPath, ASSETS.weights);
  const model = (await GraphFile.read(path)).model();
  for (const { name, path: source } of weights) {
    await withFileSource(source, async (file) => {
      for (const [at, tensor] of model.graph?.initializer.entries() ?? [])
        if (model.graph) model.graph.initializer[at] = await writer.copy(tensor, name, file);
    });
  }
  await writer.finish();
  const graphPath = join(folder, ASSETS.graph);
  await GraphFile.save(graphPath, model);
  return { graphPath, weightsPath };
}

/** Time limit for measuring single groups, in milliseconds. */
const SEARCH_MS = 60_000;
/** Number of samples on which single groups are measured. */
const SEARCH_SAMPLES = 8;
/**
 * Maximum share of the allowed error when forms are compared. The rest is a reserve, because errors
 * are different for other texts.
 */
const SHARE_OF_ERROR = 0.8;

interface ChosenForm {
  readonly path: string;
  readonly form: QuantizedForm;
}

/**
 * Chooses the fastest form of a model that is accurate enough. Tries constant scales first, then a
 * scale per token for all groups, then float32 for the groups with the largest effect on the
 * results. If no form is accurate enough, returns the last one.
 */
export async function chooseForm<Sample>(
  candidates: Candidates<Sample>,
  scalings: QuantizedForm,
  samples: readonly Sample[],
  thresholds: Thresholds,
  meter = new RunMeter(),
): Promise<ChosenForm> {
  const strict = {
    minCosine: stricter(thresholds.minCosine),
    minAgreement: stricter(thresholds.minAgreement),
  };
  const attempt = async (form: QuantizedForm): Promise<ChosenForm & { readonly passes: boolean }> => {
    const path = await candidates.write(form);
    return {
      path,
      form,
      passes: reasonAgainst(await candidates.accuracy(path, samples), strict) === undefined,
    };
  };
  const fastest = await attempt(scalings);
  if (fastest.passes) return fastest;
  meter.plan(samples.length);
  const byToken: QuantizedForm = new Map([...scalings.keys()].map((group) => [group, { kind: 'token' }]));
  let last = await attempt(byToken);
  const sensitive = last.passes ? [] : await mostSensitive(candidates, byToken, samples, meter);
  for (let count = 1; !last.passes && count <= sensitive.length / 3; count *= 2) {
    const kept = new Set(sensitive.slice(0, count));
    meter.plan(samples.length);
    last = await attempt(new Map([...byToken].filter(([group]) => !kept.has(group))));
  }
  return last;
}

/**
 * Returns groups by their effect on the results, largest first. Groups that could not be measured
 * within the time limit come last.
 */
async function mostSensitive<Sample>(
  candidates: Candidates<Sample>,
  form: QuantizedForm,
  samples: readonly Sample[],
  meter: RunMeter,
): Promise<MatMulGroup[]> {
  const few = samples.slice(0, SEARCH_SAMPLES);
  meter.plan(few.length * (form.size + 1));
  const end = performance.now() + SEARCH_MS;
  const drifts: { readonly group: MatMulGroup; readonly drift: number }[] = [];
  for (const [group, scaling] of form) {
    const isLate = performance.now() > end;
    const alone = isLate ? undefined : await candidates.write(new Map([[group, scaling]]), new Map());
    drifts.push({ group, drift: alone === undefined ? 0 : await candidates.drift(alone, few) });
  }
  return drifts.sort((a, b) => b.drift - a.drift).map(({ group }) => group);
}

const stricter = (threshold: number): number => 1 - (1 - threshold) * SHARE_OF_ERROR;
