import { configError } from '#contract/errors.ts';
import { ARCHITECTURE_NAMES } from '../architectures/architectures.ts';
import { safetensorsAmong } from '../architectures/safetensors-files.ts';
import { exportWay, noWay } from '../exports/export-way.ts';
import { exportFacts } from '../exports/model-kind.ts';
import { glinerExport, isGlinerAmong } from '../exports/gliner.ts';
import type { ModelListing } from './model-listing.ts';

/**
 * What to do about a model without a graph. `shown` is the model for messages, `source` the one that Python is given: they differ for a
 * model on the hub.
 */
export function withoutGraph(listing: ModelListing, shown: string, source = shown): Error {
  const { files, modelType, config, modules } = listing;
  const facts = exportFacts(config ?? { model_type: modelType }, modules);
  const [safetensors] = safetensorsAmong(files);
  const pickle = files.find(({ path }) => PICKLE.test(path));
  const weights = safetensors?.path ?? pickle?.path;
  if (isGlinerAmong(files)) {
    const way = `Export it: \`pip install gliner\`, then \`${glinerExport(source)}\`, then \`encoderfile build ./exported\`.`;
    return configError(
      `${shown} has no ONNX graph${weights === undefined ? '' : `, only ${weights}`}, and a GLiNER model cannot be built without one. ${way}`,
    );
  }
  const reason = noWay(facts);
  if (reason !== undefined) return configError(`${shown} cannot be built: ${reason}. Choose another model.`);
  if (weights === undefined) {
    return configError(
      source === shown
        ? `No such file: model.onnx (searched in ${shown}). Pass the folder of a model, with model.safetensors or an ONNX graph.`
        : `${shown} has no ONNX graph and no model.safetensors. Choose another model.`,
    );
  }
  const way = exportWay(facts, { source, isOnHub: source !== shown });
  if (facts.modelType === undefined) {
    return configError(
      `${shown} has no ONNX graph, only ${weights}, and no config.json with a \`model_type\`, which states how the weights are used. Copy config.json from the source of the model.`,
    );
  }
  if (safetensors === undefined) {
    return configError(
      `${shown} has no ONNX graph, only ${weights}, a pickle file, which can run code when it is read. ${way}`,
    );
  }
  return configError(
    `${shown} has no ONNX graph, only ${weights}, and a model of type ${JSON.stringify(facts.modelType)} cannot be built from it, only ${ARCHITECTURE_NAMES.join(', ')}. ${way}`,
  );
}

const PICKLE = /^pytorch_model[^/]*\.bin(?:\.index\.json)?$/;
