import { configError } from '#contract/errors.ts';
import { formatBytes } from '#core/model/progress.ts';
import { canWriteGraph, ARCHITECTURE_NAMES } from '../architectures/architectures.ts';
import { taskNames } from '../architectures/task-names.ts';
import { safetensorsAmong, torchWeightsAmong } from '../architectures/weight-files.ts';
import { isGlinerAmong } from '../exports/gliner.ts';
import { GRAPH_FOLDERS, listModel, type ModelListing } from './model-listing.ts';
import { exportWay, noWay } from '../exports/export-way.ts';
import { exportFacts } from '../exports/model-kind.ts';
import { isTable } from '../tables/is-table.ts';

/**
 * A graph that a build can use. Exporters write one graph for each precision or optimization level.
 * For stored weights, the build writes the graph itself.
 */
export interface GraphVariant {
  /** Path in the folder, with slashes: `onnx/model_fp16.onnx`, `model.safetensors` or `pytorch_model.bin`. */
  readonly path: string;
  /** The value of `variant` that selects it: `fp16`, `model` for model.onnx, `safetensors` or `pytorch`. */
  readonly name: string;
  /** Size of the graph and its external weights. */
  readonly bytes: number;
}

/**
 * Lists a model's graphs: first those in the model's folder, then those in `onnx/`, sorted by path;
 * safetensors come last. The state dict of torch is only used if there is nothing else.
 */
export function graphVariants({ files, modelType, ...stated }: ModelListing): GraphVariant[] {
  // ONNX graphs of static models have other inputs than encoders, and the table is all that is needed.
  if (isTable(stated)) return storedWeights(files);
  const exported = onnxGraphs(files);
  if (!canWriteGraph(modelType) && !isGlinerAmong(files)) return exported;
  // Exported graphs of models with adapters have an input for the task of all texts in a run.
  const hasTasks = taskNames(stated.config).length > 0;
  const weights = hasTasks || exported.length === 0 ? storedWeights(files) : safetensorsAmong(files);
  return hasTasks && weights.length > 0 ? weights : [...exported, ...weights];
}

/** The model's safetensors, or else its state dict of torch. */
function storedWeights(files: ModelListing['files']): GraphVariant[] {
  const safetensors = safetensorsAmong(files);
  return safetensors.length > 0 ? safetensors : torchWeightsAmong(files);
}

function onnxGraphs(files: ModelListing['files']): GraphVariant[] {
  return GRAPH_FOLDERS.flatMap((below) => {
    const here = files
      .filter(({ path }) => path.startsWith(below) && !path.includes('/', below.length))
      .map(({ path, bytes }) => ({ file: path.slice(below.length), bytes }))
      .toSorted((one, other) => (one.file < other.file ? -1 : 1));
    return here
      .filter(({ file }) => isGraph(file))
      .map(({ file }) => ({
        path: `${below}${file}`,
        name: nameOf(file),
        bytes: here
          .filter((one) => one.file === file || isDataOf(one.file, file))
          .reduce((sum, one) => sum + one.bytes, 0),
      }));
  });
}

/** Chooses a folder's graph, as `chooseGraph` does. */
export function chooseGraphIn(folder: string, wanted: string | undefined): GraphVariant {
  const listing = listModel(folder);
  const variants = graphVariants(listing);
  if (variants.length === 0 && wanted === undefined) throw withoutGraph(listing, folder);
  return chooseGraph(variants, wanted, folder);
}

/**
 * Chooses among a model's graphs, of which there is at least one: the named one, else model.onnx,
 * else the only ONNX graph, else the stored weights. `shown` names the model in messages.
 */
export function chooseGraph(
  variants: readonly GraphVariant[],
  wanted: string | undefined,
  shown: string,
): GraphVariant {
  if (wanted !== undefined) return namedVariant(variants, wanted, shown);
  const plain = variants.find(({ name }) => name === PLAIN);
  if (plain) return plain;
  const exported = variants.filter(({ path }) => isGraph(path));
  const chosen =
    exported.length === 1 ? exported[0] : variants.find((variant) => !exported.includes(variant));
  if (chosen) return chosen;
  throw configError(
    `${shown} has no model.onnx, but ${variants.length} other graphs: ${listVariants(variants)}. Choose one with \`variant\` in the config, or with --variant.`,
  );
}

function namedVariant(variants: readonly GraphVariant[], wanted: string, shown: string): GraphVariant {
  const found = variants.find(({ path }) => path === wanted) ?? variants.find((one) => isNamed(one, wanted));
  if (found) return found;
  const known = variants.length === 0 ? 'it has no ONNX files' : `choose one of ${listVariants(variants)}`;
  throw configError(`${shown} has no variant ${JSON.stringify(wanted)}; ${known}.`);
}

/** Formats graphs with path and size for messages and tables: `fp16 (onnx/model_fp16.onnx, 45 MB)`. */
const listVariants = (variants: readonly GraphVariant[]): string =>
  variants.map(({ name, path, bytes }) => `${name} (${path}, ${formatBytes(bytes)})`).join(', ');

/**
 * Whether `variant` names this graph. Accepts `fp16`, `model_fp16` and `model_fp16.onnx`, each with
 * or without the graph's folder.
 */
const isNamed = ({ path, name }: GraphVariant, wanted: string): boolean =>
  name === wanted || [path, path.replace(/^onnx\//, '')].includes(`${wanted.replace(/\.onnx$/, '')}.onnx`);

const PLAIN = 'model';
const isGraph = (file: string): boolean => file.endsWith('.onnx') && !file.startsWith('.');
/**
 * Whether a file contains the weights of a graph in the same folder, judging by the file names that
 * exporters use.
 */
export const isDataOf = (name: string, graph: string): boolean =>
  name.startsWith(`${graph}_data`) || name.startsWith(`${graph}.data`);
const nameOf = (file: string): string => file.replace(/\.onnx$/, '').replace(/^model[_-](?=.)/, '');

/**
 * Explains how to get a graph for a model that has none. `shown` names the model in messages and
 * `source` in Python commands; they differ for a model on the hub.
 */
export function withoutGraph(listing: ModelListing, shown: string, source = shown): Error {
  const { files, modelType, config, modules } = listing;
  const facts = exportFacts(config ?? { model_type: modelType }, modules);
  const weights = storedWeights(files)[0]?.path;
  if (facts.kind === 'table') {
    return configError(
      `${shown} is a static model, but it has no model.safetensors with its table. Save the model again with a recent version of sentence-transformers or model2vec.`,
    );
  }
  const reason = noWay(facts);
  if (reason !== undefined) return configError(`${shown} cannot be built: ${reason}. Choose another model.`);
  if (weights === undefined) {
    return configError(
      source === shown
        ? `No such file: model.onnx (searched in ${shown}). Pass a model folder with an ONNX graph, model.safetensors or pytorch_model.bin.`
        : `${shown} has no ONNX graph, no model.safetensors and no pytorch_model.bin. Choose another model.`,
    );
  }
  const way = exportWay(facts, { source, isOnHub: source !== shown });
  if (facts.modelType === undefined) {
    return configError(
      `${shown} has no ONNX graph, only ${weights}, and no config.json with a \`model_type\`, which specifies how the weights are used. Copy config.json from the model's source.`,
    );
  }
  return configError(
    `${shown} has no ONNX graph, only ${weights}, and a model of type ${JSON.stringify(facts.modelType)} cannot be built from it (supported types: ${ARCHITECTURE_NAMES.join(', ')}). ${way}`,
  );
}
