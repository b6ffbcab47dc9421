import type { GatewayState } from '../../gateway-state.ts';
import type { StoredObject } from '../../accounts/objects/objects.ts';
import { AppError } from '../../../../contract/errors.ts';
import type { ProviderCalls } from './provider-calls.ts';
import type { Settler } from './settler.ts';
import type { Responses, StoredRequest } from './stored.ts';
import { viewerOf } from './viewer.ts';

export interface ResponsesParts {
  readonly state: Pick<GatewayState, 'objects'>;
  readonly calls: ProviderCalls;
  readonly settler: Settler;
}

export function createResponses({ state, calls, settler }: ResponsesParts): Responses {
  const { objects } = state;
  const find = async (request: StoredRequest, id: string): Promise<StoredObject> =>
    await objects.require('response', id, viewerOf(request));
  return {
    async get(request, id, query) {
      const object = await find(request, id);
      const path = `${pathOf(id)}${query}`;
      const { bytes, json } = await calls.call(object, { method: 'GET', path, signal: request.signal });
      if (object.held) await settler.seen(object, withoutOutput(json));
      return bytes;
    },
    async follow(request, id, query) {
      const object = await find(request, id);
      const headers = { accept: 'text/event-stream' };
      const path = `${pathOf(id)}${query}`;
      return await calls.open(object, { method: 'GET', path, headers, signal: request.signal });
    },
    async inputItems(request, id, query) {
      const object = await find(request, id);
      const path = `${pathOf(id)}/input_items${query}`;
      return (await calls.call(object, { method: 'GET', path, signal: request.signal })).bytes;
    },
    async cancel(request, id) {
      const object = await find(request, id);
      const path = `${pathOf(id)}/cancel`;
      const { bytes, json } = await calls.call(object, { method: 'POST', path, signal: request.signal });
      await settler.seen(object, withoutOutput(json));
      return bytes;
    },
    async delete(request, id) {
      const object = await find(request, id);
      const { signal } = request;
      if (object.held) {
        // Its usage is known only as long as the provider has it.
        const { json } = await calls.call(object, { method: 'GET', path: pathOf(id), signal });
        await settler.seen(object, withoutOutput(json));
        if ((await find(request, id)).held)
          throw new AppError('ConflictError', `Response '${id}' is not finished. Cancel it first.`, {
            reason: 'response_in_progress',
          });
      }
      const { bytes } = await calls.call(object, { method: 'DELETE', path: pathOf(id), signal });
      await objects.delete(object);
      return bytes;
    },
  };
}

const pathOf = (id: string): string => `/responses/${encodeURIComponent(id)}`;

/** What the database keeps of a response: nothing that was written in it. */
const withoutOutput = ({ id, status, model, usage }: Readonly<Record<string, unknown>>) => ({
  id,
  status,
  model,
  usage,
});
