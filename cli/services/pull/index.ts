import { parseHubReference } from '../../config/hub-reference.ts';
import { fetchHubModel, type HubOptions } from '../fetch-hub-model.ts';
import type { PullResult } from './result.ts';

/** `encoderfile pull`: downloads a model from the hub to the Hugging Face cache. */
export async function pull(reference: string, options: HubOptions): Promise<PullResult> {
  const parsed = parseHubReference(reference);
  return { reference, revision: parsed.revision, ...(await fetchHubModel(parsed, options)) };
}
