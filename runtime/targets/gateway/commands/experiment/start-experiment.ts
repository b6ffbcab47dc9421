import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { FormData } from 'undici';
import { AppError, configError, messageOf } from '../../../../contract/errors.ts';
import { omitUndefined } from '../../../../core/json/omit-undefined.ts';
import type { ExperimentFile } from './experiment-file.ts';
import type { GatewayClient } from './gateway-client.ts';

export interface StartedExperiment {
  readonly id: string;
  /** Models whose workflow the gateway did not accept. */
  readonly refused: readonly { readonly name: string; readonly why: string }[];
}

/** Uploads the dataset and creates a workflow for each model. Throws if the gateway accepts none of them. */
export async function startExperiment(
  client: GatewayClient,
  file: ExperimentFile,
): Promise<StartedExperiment> {
  const form = new FormData();
  form.set('dataset', await openDataset(file.dataset), basename(file.dataset));
  form.set('format', 'job');
  const dataset = await client.json('POST', '/api/v1/datasets/', form);
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

async function openDataset(path: string): Promise<Blob> {
  try {
    return await openAsBlob(path);
  } catch (error) {
    throw configError(`Cannot read the dataset ${path}: ${messageOf(error)}`, error);
  }
}
