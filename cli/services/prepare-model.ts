import { ownVersion } from '../adapters/package-files.ts';
import { checkTransform } from '../build/model/check-transform.ts';
import { isMultiLabel, type ModelConfig, readLabels } from '../build/model/labels.ts';
import { locateModelFiles } from '../build/model/locate-files.ts';
import { prepareGraph } from '../build/model/prepare-graph.ts';
import type { PreparedModel } from '../build/model/prepared-model.ts';
import { prepareTokenizer } from '../build/model/prepare-tokenizer.ts';
import { readJson } from '../build/model/read-json.ts';
import { planManifest } from '../build/plan.ts';
import type { Reporter } from '../build/reporter.ts';
import type { BuildConfig } from '../config/build-config.ts';

/** Checks a model and makes it ready, with files in `folder`: what `build` starts with, and all that `validate` does. */
export async function prepareModel(
  config: BuildConfig,
  folder: string,
  report: Reporter,
): Promise<PreparedModel> {
  const check = report.step('Checking the model files');
  checkTransform(config);
  const files = locateModelFiles(config.model);
  const modelConfig = await readJson<ModelConfig>(files.modelConfig);
  const tokenizer = await prepareTokenizer(files, modelConfig);
  check.done(`${tokenizer.tokenizer.vocabularySize} tokens, texts up to ${tokenizer.settings.maxLength}`);

  const optimize = report.step('Optimising and running the model');
  const graph = await prepareGraph(files.weights, config.modelType, tokenizer, folder);
  const id2label = readLabels(modelConfig, config.modelType, graph.width, files.modelConfig);
  optimize.done(`${graph.signature.output}, ${graph.width} wide, ${graph.precision}`);

  const { signature, width, precision } = graph;
  const multiLabel = isMultiLabel(modelConfig, config.modelType);
  const facts = { ...signature, width, precision, id2label, multiLabel, tokenizer: tokenizer.settings };
  return { files, tokenizer, graph, manifest: planManifest(config, facts, ownVersion()) };
}
