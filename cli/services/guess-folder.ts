import { guessModel, type ModelGuess } from '../config/guess-model-type.ts';
import { GLINER_CONFIG } from '../packaging/model/gliner-config.ts';
import { chooseGraphIn } from '../packaging/model/graph-variants.ts';
import { graphOutputs } from '../packaging/model/graph-outputs.ts';
import { findIn } from '../packaging/model/locate-files.ts';
import { modelOrigin } from '../packaging/model/model-origin.ts';
import { findFamily } from '../packaging/model/pooling-families.ts';
import { readJson, readJsonList } from '../packaging/model/read-json.ts';
import { findColbertFile } from '../packaging/model/multi-vector-files.ts';
import { join } from 'node:path';

/** Guesses the name and type of the model in a folder. Fails if its graph cannot be chosen or read. */
export async function guessFolder(folder: string, variant?: string): Promise<ModelGuess> {
  const { path } = chooseGraphIn(folder, variant);
  return guessModel({ ...(await readEvidence(folder)), outputs: graphOutputs(join(folder, path)) });
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
    colbertFile: await findColbertFile(folder),
    family: findFamily({ names: [repository ?? name], config })?.name,
  };
}
