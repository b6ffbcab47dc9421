import type { GatewayState } from '../../gateway-state.ts';
import type { StoredObject } from '../../accounts/objects/objects.ts';
import type { Clock } from '#platform/clock.ts';
import { createRestorer } from '../guardrails/mask/placeholders.ts';
import { restoreAnswer } from '../guardrails/mask/restore.ts';
import type { Policy } from '../policy/policy.ts';
import { screenAnswer } from '../policy/screen-answer.ts';
import { policyRequestOf, viewerOf, type ProviderCalls } from './provider-calls.ts';
import { AppError } from '#contract/errors.ts';
import type { Settler } from './settler.ts';
import type { Responses, StoredRequest } from './stored.ts';

export interface ResponsesParts {
  readonly state: Pick<GatewayState, 'identity' | 'objects' | 'objectMasks'>;
  readonly policy: Policy;
  readonly clock: Pick<Clock, 'now'>;
  readonly calls: ProviderCalls;
  readonly settler: Settler;
}

export function createResponses({ state, policy, calls, settler, clock }: ResponsesParts): Responses {
  const { identity, objects, objectMasks } = state;
  /** Applies the policy to a response stored by a provider. */
  const screened = async (request: StoredRequest, object: StoredObject, bytes: Uint8Array) => {
    const masks = (await objectMasks.find('response', object.id)).get('');
    return await calls.within(async ({ guardrails }) => {
      const rules = guardrails.rules(masks?.guardrails);
      if (rules.length === 0 && !masks) return bytes;
      const { caller } = request;
      const spender = caller.kind === 'key' ? await identity.spender(caller, undefined) : undefined;
      const about = { endpoint: '/v1/responses', spender, model: object.model ?? '', size: 0 };
      const asked = policyRequestOf(request, about, clock);
      const hits = policy.hits(asked);
      try {
        return await screenAnswer(guardrails, rules, { bytes, masks }, asked, hits.add);
      } finally {
        hits.end();
      }
    });
  };
  const find = async (request: StoredRequest, id: string): Promise<StoredObject> =>
    await objects.require('response', id, await viewerOf(identity, request));
  return {
    async get(request, id, query) {
      const object = await find(request, id);
      const path = `${pathOf(id)}${query}`;
      const { bytes, json } = await calls.ask(request, object, {
        method: 'GET',
        path,
        signal: request.signal,
      });
      if (object.held) await settler.seen(object, json);
      return await screened(request, object, bytes);
    },
    async follow(request, id, query) {
      const object = await find(request, id);
      await calls.within(async ({ guardrails }) => {
        const masks = (await objectMasks.find('response', id)).get('');
        if (guardrails.rules(masks?.guardrails).some(({ on }) => on.includes('output')))
          throw notFollowed(id);
      });
      const headers = { accept: 'text/event-stream' };
      const path = `${pathOf(id)}${query}`;
      return await calls.openFor(request, object, { method: 'GET', path, headers, signal: request.signal });
    },
    async inputItems(request, id, query) {
      const object = await find(request, id);
      const path = `${pathOf(id)}/input_items${query}`;
      const { bytes } = await calls.ask(request, object, { method: 'GET', path, signal: request.signal });
      const masks = (await objectMasks.find('response', id)).get('');
      return masks ? restoreAnswer(bytes, createRestorer(masks.values)) : bytes;
    },
    async cancel(request, id) {
      const object = await find(request, id);
      const path = `${pathOf(id)}/cancel`;
      const { bytes, json } = await calls.ask(request, object, {
        method: 'POST',
        path,
        signal: request.signal,
      });
      await settler.seen(object, json);
      return await screened(request, object, bytes);
    },
    async delete(request, id) {
      const object = await find(request, id);
      const { signal } = request;
      if (object.held) {
        // The usage of an unpaid response must be read before the provider deletes the response.
        const { json } = await calls.ask(request, object, { method: 'GET', path: pathOf(id), signal });
        await settler.seen(object, json);
        if ((await find(request, id)).held)
          throw new AppError('ConflictError', `Response '${id}' is not finished. Cancel it first.`, {
            reason: 'response_in_progress',
          });
      }
      const { bytes } = await calls.ask(request, object, { method: 'DELETE', path: pathOf(id), signal });
      await objects.delete(object);
      await objectMasks.delete(object);
      return bytes;
    },
  };
}

const notFollowed = (id: string): AppError =>
  new AppError(
    'ForbiddenError',
    `Guardrails check the output of response '${id}', so it cannot be streamed. Request it without \`stream\`.`,
    { reason: 'guardrail_unsupported' },
  );

const pathOf = (id: string): string => `/responses/${encodeURIComponent(id)}`;
