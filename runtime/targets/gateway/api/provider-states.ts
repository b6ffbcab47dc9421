import { type Static, Type } from 'typebox';
import { rfc3339 } from '#core/time/rfc3339.ts';
import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Route } from '#serve/http/route.ts';
import { closed, oneOf, orNull } from '#serve/http/schemas.ts';
import type { GatewayContext } from '../context.ts';
import type { KeyState } from '../providers/adapters/keys/key-state.ts';
import { keyStatesOf, targetStatesOf } from '../requests/models/models.ts';
import type { TargetState } from '../requests/routing/target-states.ts';
import { count, time, timeOrNull } from './http/fields.ts';
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

export const keyStates = Type.Array(
  closed('ProviderKeyState', {
    provider: Type.String({ description: 'Name of the provider.' }),
    key: Type.String({ description: 'Name of the key. The key itself is never returned.' }),
    weight: Type.Number({ minimum: 0 }),
    calls: count('Number of calls with the key, since the provider was opened.'),
    failures: Type.Unsafe<Record<string, number>>({
      type: 'object',
      additionalProperties: { type: 'integer', minimum: 0 },
      description: 'Number of failed calls, by kind of failure.',
    }),
    cooling: Type.Array(
      closed('ProviderKeyCooling', {
        reason: Type.String({ description: 'Kind of failure.' }),
        model: orNull(Type.String(), 'Model whose requests use the key last; null for all requests.'),
        until: time('End of the cool-down.'),
      }),
      { description: 'Why and until when the key is used last; the longest first.' },
    ),
    limits: Type.Array(
      closed('ProviderKeyLimit', {
        model: Type.String(),
        of: oneOf(['requests', 'tokens']),
        remaining: count('Rest when the provider last reported it, minus later requests.'),
        resets_at: time('Time at which the limit is reset.'),
      }),
      { description: 'Limits that the provider has reported in response headers.' },
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
    route({
      method: 'get',
      path: '/v1/provider-keys',
      guard: guards.reader,
      id: 'listProviderKeys',
      tag: 'Providers',
      summary: 'List the keys of providers that have several, with their cool-downs and limits.',
      description:
        'The values come from the gateway process that handles this request. Providers with a single key are not listed.',
      answer: answerOf('The keys, without their values.', keyStates, [
        {
          provider: 'openai',
          key: 'main',
          weight: 3,
          calls: 120,
          failures: { rate_limited: 2 },
          cooling: [{ reason: 'rate_limited', model: 'gpt-5-mini', until: '2026-01-31T12:00:20Z' }],
          limits: [{ model: 'gpt-5-mini', of: 'tokens', remaining: 1500, resets_at: '2026-01-31T12:00:20Z' }],
        },
      ]),
      run: async () => (await threads.keys(keyStatesOf(models, clock.now()))).map(keyView),
    }),
  ];
}

const keyView = (state: KeyState): Static<typeof keyStates>[number] => ({
  provider: state.provider,
  key: state.key,
  weight: state.weight,
  calls: state.calls,
  failures: { ...state.failures },
  cooling: state.cooling.map(({ reason, model, until }) => ({
    reason,
    model: model ?? null,
    until: rfc3339(until),
  })),
  limits: state.limits.map(({ model, of, remaining, resetsAt }) => ({
    model,
    of,
    remaining,
    resets_at: rfc3339(resetsAt),
  })),
});

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
