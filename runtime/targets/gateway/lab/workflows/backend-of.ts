import { inputError } from '../../../../contract/errors.ts';
import type { Backend } from '../work/work.ts';
import type { NamedModel } from './workflow.ts';

/**
 * Who answers, as a request names it: `encoder` is an `.encoder` by its address, or as a file; with an address any other is a
 * server that speaks as OpenAI's API does; without one it is a model of this gateway. Throws an InputError.
 */
export function backendOf({ provider, model, baseUrl, secretName }: NamedModel): Backend {
  if (provider === 'encoder') {
    if (baseUrl !== null) return { kind: 'encoder-url', baseUrl, secretName };
    return model.endsWith('.encoder')
      ? { kind: 'encoder-file', path: model }
      : { kind: 'gateway', model: model.startsWith('encoder:') ? model : `encoder:${model}` };
  }
  if (baseUrl !== null) return { kind: 'openai-compatible', baseUrl, model, secretName };
  if (provider === 'openai-compatible') {
    throw inputError(`The provider ${provider} needs a base_url, as https://models.example/v1.`);
  }
  if (provider === 'hf') {
    throw inputError(
      'This server runs no models of the hub itself. Build the model as an .encoder, and name it with provider `encoder`; or serve it, and name its address as base_url.',
    );
  }
  if (provider === 'gateway' || model.startsWith(`${provider}:`)) return { kind: 'gateway', model };
  return { kind: 'gateway', model: `${provider}:${model}` };
}
