import { type Static, Type } from 'typebox';
import { rfc3339 } from '#core/time/rfc3339.ts';
import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Route } from '#serve/http/route.ts';
import { closed, oneOf, orNull } from '#serve/http/schemas.ts';
import type { GatewayContext } from '../context.ts';
import { targetStatesOf } from '../requests/models/models.ts';
import type { TargetState } from '../requests/routing/target-states.ts';
import { count, timeOrNull } from './http/fields.ts';
import type { HttpParts } from './http/parts.ts';

const milliseconds = (description: string) => orNull(Type.Number({ minimum: 0 }), description);

export const states = Type.Array(
  closed('TargetState', {
    model: Type.String({ description: 'Model, `provider:model`.' }),
    breaker: oneOf(['closed', 'open', 'trial'], {
      description: '`open`: requests skip the model. `trial`: one request tests whether it works again.',
    }),
    open_for_users: Type.Array(Type.String(), {
      description: 'Users whose requests skip the model, because only their requests fail consecutively.',
    }),
    failures: count('Number of consecutive failures.'),
    open_until: timeOrNull('Time at which an open breaker allows a trial request.'),
    paused_until: timeOrNull('Time until which an alias prefers its other models, based on `Retry-After`.'),
    running: count('Requests in flight to targets of aliases.'),
    first_output_ms: milliseconds('Moving average of the time to a stream’s first output; null if unknown.'),
    output_token_ms: milliseconds(
      'Moving average of the time per output token, for complete responses; null if unknown.',
    ),
  }),
);

/** `/v1/provider-states`: the state, in this process, of the models that it has called. */
export function providerStateRoutes(
  { models, threads, clock }: GatewayContext,
  { guards, route }: HttpParts,
): readonly Route[] {
  return [
    route({
      method: 'get',
      path: '/v1/provider-states',
      guard: guards.reader,
      id: 'listProviderStates',
      tag: 'Providers',
      summary: 'List the circuit breakers, pauses and speeds of models.',
      description:
        'The values come from the gateway process that handles this request. A working model that is not part of an alias has no entry.',
      answer: answerOf('The states.', states, [
        {
          model: 'openai:gpt-5-mini',
          breaker: 'open',
          open_for_users: [],
          failures: 5,
          open_until: '2026-01-31T12:00:05Z',
          paused_until: null,
          running: 0,
          first_output_ms: 210,
          output_token_ms: null,
        },
      ]),
      run: async () => {
        const now = clock.now();
        return (await threads.targets(targetStatesOf(models))).map((state) => stateView(state, now));
      },
    }),
  ];
}

const stateView = (state: TargetState, now: number): Static<typeof states>[number] => {
  const { breaker, pausedUntil } = state;
  const { openUntil } = breaker;
  return {
    model: state.target,
    breaker: breaker.trial
      ? 'trial'
      : openUntil !== undefined && openUntil > now
        ? 'open'
        : openUntil === undefined
          ? 'closed'
          : 'trial',
    open_for_users: [...state.openFor],
    failures: breaker.failures,
    open_until: openUntil === undefined ? null : rfc3339(openUntil),
    paused_until: pausedUntil === undefined ? null : rfc3339(pausedUntil),
    running: state.running,
    first_output_ms: state.streamMs ?? null,
    output_token_ms: state.tokenMs ?? null,
  };
};
