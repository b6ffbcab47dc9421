import { copyFile, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ASSETS } from '#contract/assets.ts';
import { configError } from '#contract/errors.ts';
import { explainWriteError } from '#platform/files/write-error.ts';
import { removeLeftovers, temporaryPath } from '#platform/files/temporary.ts';
import type { PreparedModel } from '../model/prepared-graph.ts';

/** Writes the assets as a folder of files instead of appending them to a base runtime; returns their total size. */
export async function writeAssets(folder: string, model: PreparedModel): Promise<number> {
  await refuseForeignFolder(folder);
  try {
    await mkdir(dirname(folder), { recursive: true });
    removeLeftovers(folder);
    const scratch = temporaryPath(folder);
    try {
      await mkdir(scratch);
      const { graphPath, weightsPath } = model.graph;
      if (graphPath !== undefined) await copyFile(graphPath, join(scratch, ASSETS.graph));
      await copyFile(weightsPath, join(scratch, ASSETS.weights));
      if (model.tokenizer !== undefined)
        await writeFile(join(scratch, ASSETS.tokenizer), model.tokenizer.json);
      const { modelConfig } = model.files;
      if (modelConfig === undefined) await writeFile(join(scratch, ASSETS.config), '{}\n');
      else await copyFile(modelConfig, join(scratch, ASSETS.config));
      if (model.transform !== undefined) await writeFile(join(scratch, ASSETS.transform), model.transform);
      if (model.layers !== undefined) await writeFile(join(scratch, ASSETS.layers), model.layers);
      if (model.labelTokenizer !== undefined)
        await writeFile(join(scratch, ASSETS['label-tokenizer']), model.labelTokenizer);
      if (model.imageGraphPath !== undefined)
        await copyFile(model.imageGraphPath, join(scratch, ASSETS['image-graph']));
      if (model.staticTable !== undefined) await copyFile(model.staticTable, join(scratch, ASSETS.static));
      if (model.licenseText !== undefined) await writeFile(join(scratch, ASSETS.license), model.licenseText);
      if (model.cardText !== undefined) await writeFile(join(scratch, ASSETS.card), model.cardText);
      await writeFile(join(scratch, ASSETS.manifest), `${JSON.stringify(model.manifest, undefined, 2)}\n`);
      await rm(folder, { recursive: true, force: true });
      await rename(scratch, folder);
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  } catch (error) {
    throw explainWriteError(folder, error);
  }
  const sizes = await Promise.all(
    (await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Only an assets folder can be replaced, not a folder with other files. */
async function refuseForeignFolder(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  const known: readonly string[] = Object.values(ASSETS);
  const foreign = names.find((name) => !known.includes(name));
  if (foreign === undefined) return;
  throw configError(
    `Cannot write to ${folder}: it contains other files (${foreign}). Choose another output path, or empty the folder.`,
  );
}
