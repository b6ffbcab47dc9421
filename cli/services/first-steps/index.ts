import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ownVersion } from '../../adapters/own-files.ts';
import { EXECUTABLE_NAME } from '#contract/executable-name.ts';
import { graphVariants } from '../../packaging/model/graph-variants.ts';
import { listModel } from '../../packaging/model/model-listing.ts';
import { inspectModelFolder } from '../init/inspect-model-folder.ts';
import { CONFIG_NAMES } from '../read-config.ts';
import { isPrintable } from '../text.ts';
import { firstStepsText, type FoundModel } from './result.ts';

/** `encoderfile` without arguments on a terminal: the commands that suit the current folder. */
export async function firstSteps(): Promise<string> {
  const entries = entriesIn('.');
  const names = (test: (entry: Dirent) => boolean): string[] => entries.filter(test).map(({ name }) => name);
  const executables = names((entry) => !entry.isDirectory() && EXECUTABLE_NAME.test(entry.name));
  const folders = names((entry) => entry.isDirectory() && !entry.name.startsWith('.'));
  return firstStepsText({
    version: ownVersion(),
    config: CONFIG_NAMES.find((name) => entries.some((entry) => entry.name === name)),
    models: await findModels(['.', ...folders.slice(0, MAX_FOLDERS)]),
    executables,
  });
}

/** Maximum number of names in a folder, and of folders in it, to look at. */
const MAX_NAMES = 2000;
const MAX_FOLDERS = 50;
/** Maximum number of models to show. */
const MAX_MODELS = 3;

function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .slice(0, MAX_NAMES)
      .filter(({ name }) => isPrintable(name))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  } catch {
    // Without permission to read the folder, the general commands are shown.
    return [];
  }
}

async function findModels(folders: readonly string[]): Promise<FoundModel[]> {
  const models: FoundModel[] = [];
  for (const folder of folders) {
    if (models.length === MAX_MODELS) break;
    const path = folder === '.' ? folder : `./${folder}`;
    if (hasModel(join(folder))) models.push({ path, modelType: await typeOf(path) });
  }
  return models;
}

function hasModel(folder: string): boolean {
  try {
    return graphVariants(listModel(folder)).length > 0;
  } catch {
    return false;
  }
}

/** The guessed type; undefined if the files do not specify it. A model with a problem is reported by its build. */
async function typeOf(folder: string): Promise<FoundModel['modelType']> {
  try {
    const { guess } = await inspectModelFolder(folder, folder);
    return guess.because === undefined ? undefined : guess.modelType;
  } catch {
    return undefined;
  }
}
