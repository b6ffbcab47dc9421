import { mkdir, open, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { configError, messageOf } from '#contract/errors.ts';
import { trimEndOf } from '#core/text/trim-text.ts';
import type { GatewayClient } from '../gateway-client.ts';
import { namedNumbers } from './named-numbers.ts';
import type { Exported, ExportedModel } from './read-exported.ts';

/** The split of all files, because an experiment evaluates models. */
const SPLIT = 'test';

/**
 * Writes each model's outputs as Parquet, with a dataset card that lists each model as a config. The
 * `datasets` library can load them, even from the folder: `load_dataset("folder", "small")`.
 * @see https://huggingface.co/docs/hub/datasets-manual-configuration
 */
export async function exportFiles(client: GatewayClient, exported: Exported, folder: string): Promise<void> {
  await createFolder(folder);
  const configs = configNames(exported.models);
  const written: { readonly name: string; readonly model: ExportedModel }[] = [];
  for (const [name, model] of configs) {
    const job = model.workflow.jobs.find(({ type }) => type === 'inference');
    if (model.workflow.status !== 'succeeded' || !job) continue;
    const { id } = await client.json('GET', `/api/v1/jobs/${job.id}/dataset`);
    await mkdir(join(folder, name), { recursive: true });
    await download(client, String(id), join(folder, name, `${SPLIT}.parquet`));
    written.push({ name, model });
  }
  if (written.length === 0) throw configError('No model has succeeded, so there is nothing to export.');
  const head = {
    pretty_name: exported.name,
    tags: [...exported.tags],
    configs: written.map(({ name }) => ({
      config_name: name,
      data_files: [{ split: SPLIT, path: `${name}/${SPLIT}.parquet` }],
    })),
  };
  const metrics = Object.fromEntries(
    written.map(({ name, model: { compared } }) => [name, compared ? namedNumbers(compared) : {}]),
  );
  await writeFile(join(folder, 'metrics.json'), `${JSON.stringify(metrics, null, 2)}\n`);
  await writeFile(join(folder, 'README.md'), `---\n${stringify(head)}---\n\n${exported.report}`);
}

/** Folder names, which are also config names: the model names, as far as both allow them, made unique. */
function configNames(models: readonly ExportedModel[]): ReadonlyMap<string, ExportedModel> {
  const names = new Map<string, ExportedModel>();
  for (const model of models) {
    const name = model.workflow.name.replaceAll(/[^\w.-]+/g, '-').replace(/^[-.]+/, '');
    const base = trimEndOf(name, '-') || 'model';
    let unique = base;
    for (let number = 2; names.has(unique); number += 1) unique = `${base}-${number}`;
    names.set(unique, model);
  }
  return names;
}

async function createFolder(folder: string): Promise<void> {
  const found = await mkdir(folder, { recursive: true })
    .then(() => readdir(folder))
    .catch((error: unknown) => {
      throw configError(`Cannot create the folder ${folder}: ${messageOf(error)}`, error);
    });
  if (found.length > 0) throw configError(`${folder} is not empty. Choose a new folder.`);
}

async function download(client: GatewayClient, dataset: string, path: string): Promise<void> {
  const answer = await client.json('GET', `/api/v1/datasets/${dataset}/download?extension=parquet`);
  const [address = ''] = answer['download_urls'] as readonly string[];
  const { pathname, search } = new URL(address);
  const file = await open(path, 'wx');
  try {
    for await (const piece of client.bytes(`${pathname}${search}`)) await file.write(piece);
  } finally {
    await file.close();
  }
}
