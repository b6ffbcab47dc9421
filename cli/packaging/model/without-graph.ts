import { configError } from '../../../runtime/contract/errors.ts';
import { ARCHITECTURE_NAMES } from '../architectures/architectures.ts';
import { safetensorsAmong } from '../architectures/safetensors-files.ts';
import { glinerExport, isGlinerAmong } from './gliner-config.ts';
import type { ModelListing } from './model-listing.ts';

/** What to do about a model without a graph. `shown` is the model for messages, `source` the one that optimum is given. */
export function withoutGraph({ files, modelType }: ModelListing, shown: string, source = shown): Error {
  const isGliner = isGlinerAmong(files);
  const command = isGliner ? glinerExport(source) : `optimum-cli export onnx --model ${source} ./exported`;
  const way = `Export it with \`${command}\`, and build that folder.`;
  const [safetensors] = safetensorsAmong(files);
  const pickle = files.find(({ path }) => PICKLE.test(path));
  if (safetensors) {
    const reason = isGliner
      ? 'a GLiNER model cannot be built from them'
      : modelType === undefined
        ? 'config.json with a `model_type`, which states how the weights are used, is missing'
        : `a model of type ${JSON.stringify(modelType)} cannot be built from them, only ${ARCHITECTURE_NAMES.join(', ')}`;
    return configError(`${shown} has no ONNX graph, only ${safetensors.path}, and ${reason}. ${way}`);
  }
  if (pickle) {
    return configError(
      `${shown} has no ONNX graph, only ${pickle.path}, a pickle file, which can run code when it is read. ${way}`,
    );
  }
  return configError(
    source === shown && !isGliner
      ? `No such file: model.onnx (searched in ${shown}). Export the model to ONNX first.`
      : `${shown} has no ONNX graph. ${way}`,
  );
}

const PICKLE = /^pytorch_model[^/]*\.bin(?:\.index\.json)?$/;
