import { join } from 'node:path';
import { ASSETS } from '#contract/assets.ts';
import type { QuantizationAccuracy } from '#contract/quantization.ts';
import { withFileSource } from '#platform/file-source.ts';
import { accuracyOf, type Compare, driftOf } from './accuracy.ts';
import type { ProductGroup } from './find-products.ts';
import { GraphFile } from '../onnx/graph-file.ts';
import type { Scaling } from './product-nodes.ts';
import { quantizeGraph } from './quantize-graph.ts';
import type { IntegerTensor, RoundedGroup } from './round-group.ts';
import type { Ids, Trial } from './trial.ts';
import { WeightsWriter } from './weights-file.ts';

/** How groups of products are computed; those that are missing stay in float32. */
export type Form = ReadonlyMap<ProductGroup, Scaling>;

/** Matrices and tables of a model as integers. */
export interface RoundedModel {
  readonly groups: ReadonlyMap<ProductGroup, RoundedGroup>;
  readonly tables: ReadonlyMap<string, IntegerTensor>;
}

/** Writes a model in different forms, and compares their results with the original. */
export class Candidates {
  readonly #file: GraphFile;
  readonly #rounded: RoundedModel;
  readonly #trial: Trial;
  readonly #output: string;
  readonly #compare: Compare;
  readonly #originals = new Map<readonly Ids[], Float32Array[]>();
  #count = 0;

  constructor(
    file: GraphFile,
    rounded: RoundedModel,
    trial: Trial,
    { output, compare }: { readonly output: string; readonly compare: Compare },
  ) {
    this.#file = file;
    this.#rounded = rounded;
    this.#trial = trial;
    this.#output = output;
    this.#compare = compare;
  }

  /** Writes a form next to the original, whose weights it shares; returns the path of its graph. */
  async write(form: Form, tables = this.#rounded.tables): Promise<string> {
    const groups = [...form].map(([group, scaling]) => {
      const rounded = this.#rounded.groups.get(group);
      if (!rounded) throw new Error('A group was not rounded');
      return { group, rounded, scaling };
    });
    this.#count += 1;
    const name = `candidate-${this.#count}`;
    return (await this.#file.write(name, (model) => quantizeGraph(model, groups, tables))).path;
  }

  async accuracy(path: string, texts: readonly Ids[]): Promise<QuantizationAccuracy> {
    const [original, quantized] = await this.#outputs(path, texts);
    const compare = this.#compare;
    return accuracyOf(
      original.map((values) => compare(values)),
      quantized.map((values) => compare(values)),
    );
  }

  async drift(path: string, texts: readonly Ids[]): Promise<number> {
    return driftOf(...(await this.#outputs(path, texts)));
  }

  async #outputs(path: string, texts: readonly Ids[]): Promise<[Float32Array[], Float32Array[]]> {
    const original =
      this.#originals.get(texts) ?? (await this.#trial.alone(this.#file.path, this.#output, texts));
    this.#originals.set(texts, original);
    return [original, await this.#trial.alone(path, this.#output, texts)];
  }
}

/** Writes a graph and the weights that it uses to a folder of their own. */
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
