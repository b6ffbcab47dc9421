import { guessModel, type ModelGuess } from '../config/guess-model-type.ts';
import { GLINER_CONFIG } from '../packaging/model/gliner-config.ts';
import { chooseGraphIn } from '../packaging/model/graph-variants.ts';
import { graphOutputs } from '../packaging/model/graph-outputs.ts';
import { findIn } from '../packaging/model/locate-files.ts';
import { modelOrigin } from '../packaging/model/model-origin.ts';
import { HEAD_FILES, headFilesIn } from '../packaging/model/token-heads.ts';
import { findFamily } from '../packaging/model/pooling-families.ts';
import { readJson, readJsonList } from '../packaging/model/read-json.ts';
import { exportedOutputs } from '../packaging/onnx/token-outputs.ts';
import { findColbertFile } from '../packaging/model/multi-vector-files.ts';
import { join } from 'node:path';

/** Guesses the name and type of the model in a folder. Fails if its graph cannot be chosen or read. */
export async function guessFolder(folder: string, variant?: string): Promise<ModelGuess> {
  const { path } = chooseGraphIn(folder, variant);
  const outputs = graphOutputs(join(folder, path));
  const hasTokenOutputs = exportedOutputs({ output: outputs }) !== undefined;
  return guessModel({ ...(await readEvidence(folder)), outputs, hasTokenOutputs });
}

/** Reads what the files of a folder, except its graph, state about the model. */
export async function readEvidence(folder: string) {
  const [configPath, modulesPath] = [findIn(folder, 'config.json'), findIn(folder, 'modules.json')];
  const config = configPath === undefined ? undefined : await readJson<Record<string, unknown>>(configPath);
  const { name, repository } = modelOrigin(folder);
  return {
    config,
    isGliner: findIn(folder, GLINER_CONFIG) !== undefined,
    name,
    modules: modulesPath === undefined ? undefined : await readJsonList(modulesPath),
    hasHeads: headFilesIn(folder).length === HEAD_FILES.length,
    colbertFile: await findColbertFile(folder),
    family: findFamily({ names: [repository ?? name], config })?.name,
  };
}
