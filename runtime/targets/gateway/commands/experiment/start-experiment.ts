import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { FormData } from 'undici';
import { AppError, configError, messageOf } from '#contract/errors.ts';
import { omitUndefined } from '#core/json/omit-undefined.ts';
import { type ExperimentFile, isSource, storedDataset } from './experiment-file.ts';
import type { GatewayClient } from './gateway-client.ts';

export interface StartedExperiment {
  readonly id: string;
  /** Models whose workflow the gateway rejected. */
  readonly refused: readonly { readonly name: string; readonly why: string }[];
}

/** Prepares the dataset and creates one workflow per model. Throws if the gateway rejects all of them. */
export async function startExperiment(
  client: GatewayClient,
  file: ExperimentFile,
): Promise<StartedExperiment> {
  const dataset = await datasetOf(client, file);
  const experiment = await client.json('POST', '/api/v1/experiments/', {
    name: file.name,
    description: file.description,
    tags: file.tags,
    dataset: dataset['id'],
    max_samples: file.maxSamples,
    ...omitUndefined({ sampling: file.sampling, seed: file.seed }),
    task_definition: file.task,
  });
  const id = String(experiment['id']);
  const refused: { readonly name: string; readonly why: string }[] = [];
  for (const workflow of file.workflows) {
    try {
      await client.json('POST', '/api/v1/workflows/', { ...workflow, experiment_id: id });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'InputError') throw error;
      refused.push({ name: workflow.name, why: error.message });
    }
  }
  if (refused.length < file.workflows.length) return { id, refused };
  await client.json('DELETE', `/api/v1/experiments/${id}`);
  throw configError(refused.map(({ name, why }) => `${name}: ${why}`).join('\n'));
}

type Dataset = Awaited<ReturnType<GatewayClient['json']>>;
type DatasetFile = Pick<ExperimentFile, 'dataset' | 'source' | 'columns'>;

/** Uploads, imports or finds the dataset. */
async function datasetOf(client: GatewayClient, file: DatasetFile): Promise<Dataset> {
  const stored = storedDataset(file.dataset);
  if (stored !== undefined) return await client.json('GET', `/api/v1/datasets/${encodeURIComponent(stored)}`);
  return isSource(file.dataset) ? await importDataset(client, file) : await uploadDataset(client, file);
}

const importDataset = (client: GatewayClient, { dataset, source, columns }: DatasetFile): Promise<Dataset> =>
  client.json('POST', '/api/v1/datasets/import', {
    ...source,
    source: dataset,
    ...(columns !== undefined && { columns }),
  });

async function uploadDataset(client: GatewayClient, { dataset, columns }: DatasetFile): Promise<Dataset> {
  const form = new FormData();
  if (columns !== undefined) form.set('columns', JSON.stringify(columns));
  form.set('dataset', await openDataset(dataset), basename(dataset));
  form.set('format', 'job');
  return await client.json('POST', '/api/v1/datasets/', form);
}

async function openDataset(path: string): Promise<Blob> {
  try {
    return await openAsBlob(path);
  } catch (error) {
    throw configError(`Cannot read the dataset ${path}: ${messageOf(error)}`, error);
  }
}
