import { Type } from 'typebox';
import { rfc3339 } from '#core/time/rfc3339.ts';
import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Route } from '#serve/http/route.ts';
import { closed, oneOf } from '#serve/http/schemas.ts';
import { PRIORITIES } from '../accounts/fields/shared-fields.ts';
import { mergeWaiting } from '../accounts/ledger/waiting/queue-settings.ts';
import type { GatewayContext } from '../context.ts';
import { count, time } from './http/fields.ts';
import type { HttpParts } from './http/parts.ts';

export const queues = Type.Array(
  closed('WaitingRequests', {
    priority: oneOf(PRIORITIES, { description: 'Priority of the requests.' }),
    requests: count('Number of waiting requests.'),
    waiting_since: time('When the request that has waited longest began to wait.'),
  }),
);

/** `/v1/queues`: the requests that wait in this process. */
export function queueRoutes(
  { state, providerQueue, threads }: Pick<GatewayContext, 'state' | 'providerQueue' | 'threads'>,
  { guards, route }: HttpParts,
): readonly Route[] {
  return [
    route({
      method: 'get',
      path: '/v1/queues',
      guard: guards.reader,
      id: 'listQueues',
      tag: 'Providers',
      summary: 'Count the requests that wait for limits or providers, by priority.',
      description:
        'The values come from the gateway process that handles this request. Priorities without waiting requests are not listed.',
      answer: answerOf('The waiting requests, the highest priority first.', queues, [
        { priority: 'normal', requests: 3, waiting_since: '2026-01-31T12:00:20Z' },
      ]),
      run: async () => {
        const own = mergeWaiting([state.ledger.waiting(), providerQueue.waiting()]);
        return (await threads.waiting(own)).map((one) => ({
          priority: one.priority,
          requests: one.count,
          waiting_since: rfc3339(one.since),
        }));
      },
    }),
  ];
}
