import { join } from 'node:path';
import { graphOutputs } from '../packaging/model/graph-outputs.ts';
import { chooseGraphIn } from '../packaging/model/graph-variants.ts';
import { guessModel, type ModelGuess, readEvidence } from '../packaging/model/guess-model.ts';

/** Guesses the name and type of the model in a folder. Fails if its graph cannot be chosen or read. */
export async function guessFolder(folder: string, variant?: string): Promise<ModelGuess> {
  const { path } = chooseGraphIn(folder, variant);
  return await guessModel(await readEvidence(folder, graphOutputs(join(folder, path))));
}
