import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { configError } from '#contract/errors.ts';
import { withFileSource } from '#platform/file-source.ts';
import { readSafetensors } from '../architectures/read-safetensors.ts';
import { isSafetensors } from '../architectures/safetensors-files.ts';
import { findWeights } from '../architectures/find-weights.ts';
import type { ProjectionLayer } from '../onnx/append-projection.ts';
import { readTensors, tensorsOf } from './layer-weights.ts';
import type { ModelFiles } from './locate-files.ts';
import { readModules } from './multi-vector-files.ts';
import { readJson } from './read-json.ts';
import { denseOf, moduleName, modulePath } from './sentence-layers.ts';

const WEIGHTS = 'model.safetensors';
/** The matrix of colbert-ai, among the weights of the model. */
const LINEAR = 'linear.weight';
/** Modules that do not change the vectors of tokens, or that the runtime applies. */
const OTHER_MODULES: ReadonlySet<string> = new Set(['Transformer', 'Normalize', 'Dropout']);

/** Reads the layers that follow the hidden states of a ColBERT model; none if its files have none. */
export async function readProjection({
  folder,
  weights,
}: Pick<ModelFiles, 'folder' | 'weights'>): Promise<ProjectionLayer[]> {
  const modules = await readModules(folder);
  const other = modules.map(moduleName).find((name) => name !== 'Dense' && !OTHER_MODULES.has(name));
  if (other !== undefined) {
    throw configError(
      `modules.json has an unsupported module ${other} for model_type multi_vector. Choose the right model_type.`,
    );
  }
  const dense = modules.filter((module) => moduleName(module) === 'Dense');
  const layers: ProjectionLayer[] = [];
  for (const module of dense) layers.push(await readDense(folder, modulePath(module)));
  return layers.length > 0 ? layers : await readLinear(folder, weights);
}

async function readDense(folder: string, path: string): Promise<ProjectionLayer> {
  const file = join(folder, path, 'config.json');
  if (!existsSync(file))
    throw configError(`modules.json has the module Dense, but ${path}/config.json is missing.`);
  const {
    module_input_name: _input,
    module_output_name: _output,
    use_residual: isResidual,
    ...config
  } = await readJson<Record<string, unknown>>(file);
  const settings = denseOf(config, `${path}/config.json`);
  if (typeof settings === 'string') throw configError(`${settings}.`);
  const weights = join(folder, path, WEIGHTS);
  if (!existsSync(weights)) {
    throw configError(
      `${path} has no ${WEIGHTS}, and weights in a pytorch_model.bin are not read: save the model again with a recent PyLate.`,
    );
  }
  const { inputs, outputs, activation } = settings;
  const hasMatrix = isResidual === true && inputs !== outputs;
  const tensors = [
    ...tensorsOf(settings),
    ...(hasMatrix ? [['residual.weight', [outputs, inputs]] as const] : []),
  ];
  const floats = (await withFileSource(weights, (source) => readTensors(source, tensors))).map(asFloats);
  const [matrix = new Float32Array()] = floats;
  return {
    inputs,
    outputs,
    matrix,
    bias: settings.bias ? floats[1] : undefined,
    activation,
    residual: isResidual === true ? (hasMatrix ? floats.at(-1) : 'input') : undefined,
  };
}

/** The matrix of colbert-ai, in the safetensors that the graph is written from, or next to the graph of an export. */
async function readLinear(folder: string, weights: string): Promise<ProjectionLayer[]> {
  const beside = join(folder, WEIGHTS);
  const path = isSafetensors(weights) ? weights : beside;
  if (!existsSync(path)) return [];
  const stored = (await findWeights(path)).get(LINEAR);
  if (stored?.shape.length !== 2) return [];
  const [outputs = 0, inputs = 0] = stored.shape;
  const [bytes] = await withFileSource(stored.file, (source) =>
    readSafetensors(source).has(LINEAR) ? readTensors(source, [[LINEAR, stored.shape]]) : [],
  );
  if (!bytes) return [];
  return [
    {
      inputs,
      outputs,
      matrix: asFloats(bytes),
      bias: undefined,
      activation: 'identity',
      residual: undefined,
    },
  ];
}

const asFloats = (bytes: Uint8Array): Float32Array =>
  new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / Float32Array.BYTES_PER_ELEMENT);
