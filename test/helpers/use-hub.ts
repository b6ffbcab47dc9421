import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { HubServer } from './hub-server.ts';

/** A hub for every test in the file, closed after it. Returns a function that returns it inside a test. */
export function useHub(): () => HubServer {
  let hub: HubServer | undefined;
  beforeEach(async () => {
    hub = await HubServer.start();
  });
  afterEach(async () => {
    await hub?.close();
    hub = undefined;
  });
  return () => {
    if (hub === undefined) throw new Error('the hub exists only during a test');
    return hub;
  };
}

/** Every variable that `encoderfile` reads for the hub; those of this machine are removed. */
export function hubVariables(hub: HubServer, folder: string): Record<string, string | undefined> {
  const removed = [
    'HF_TOKEN',
    'HUGGING_FACE_HUB_TOKEN',
    'HF_TOKEN_PATH',
    'HF_HUB_CACHE',
    'HUGGINGFACE_HUB_CACHE',
    'HF_HUB_OFFLINE',
    'TRANSFORMERS_OFFLINE',
    'HF_HUB_DISABLE_SYMLINKS',
    'HF_HUB_DISABLE_IMPLICIT_TOKEN',
    'HF_HUB_ETAG_TIMEOUT',
    'HF_HUB_DOWNLOAD_TIMEOUT',
    'HTTP_PROXY',
    'HTTPS_PROXY',
    'NO_PROXY',
    'http_proxy',
    'https_proxy',
    'no_proxy',
  ].map((name) => [name, undefined] as const);
  return { ...Object.fromEntries(removed), HF_ENDPOINT: hub.endpoint, HF_HOME: join(folder, 'huggingface') };
}
