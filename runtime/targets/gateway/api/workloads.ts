import { Type } from 'typebox';
import { answerOf } from '#serve/http/openapi/describe.ts';
import { OPEN, type Route } from '#serve/http/route.ts';
import { closed } from '#serve/http/schemas.ts';
import type { GatewayContext } from '../context.ts';
import { KEY_ERRORS } from './guards.ts';
import { nonEmptyText, timeOrNull } from './http/fields.ts';
import type { HttpParts } from './http/parts.ts';
import { rfc3339OrNull } from './http/values.ts';

const MAX_TOKEN_LENGTH = 16_384;

const exchange = closed('WorkloadToken', {
  token: nonEmptyText('Token of an issuer in `workloads`.', MAX_TOKEN_LENGTH),
  expires_in: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 86_400,
      description: 'Validity of the key in seconds; at most, and by default, the issuer’s `key_duration`.',
    }),
  ),
});

const workloadKey = closed('WorkloadKey', {
  key: Type.String({ description: 'The short-lived key. It is returned only once.' }),
  key_id: Type.String({ description: 'ID of the key in `/v1/keys` whose settings apply.' }),
  user_id: Type.String({ description: 'User who is billed.' }),
  expires_at: timeOrNull('Expiry of the short-lived key.'),
});

/** `/auth/workload`: short-lived keys for the tokens of workloads, if issuers are configured. */
export function workloadRoutes(
  { state }: GatewayContext,
  { route }: Pick<HttpParts, 'route'>,
): readonly Route[] {
  const { keys, workloads } = state.identity;
  if (!workloads) return [];
  return [
    route({
      method: 'post',
      path: '/auth/workload',
      guard: OPEN,
      id: 'exchangeWorkloadToken',
      tag: 'Sign-in',
      summary: 'Exchange a workload’s token for a short-lived key.',
      description:
        'The token itself is accepted as a credential, too. A key is useful if the token expires earlier than the work ends.',
      request: {
        schema: exchange,
        examples: { token: { token: 'eyJhbGciOiJSUzI1NiJ9.e30.c2ln', expires_in: 900 } },
      },
      answer: answerOf('The short-lived key.', workloadKey, {
        key: 'gwt-4mVt8qXkD1pYw0b3Zs',
        key_id: 'workload:github:5a8e1c09b3d24f6f9c0d7e21a4b86f35',
        user_id: 'ci/acme/app',
        expires_at: '2026-01-31T12:00:00Z',
      }),
      errors: [...KEY_ERRORS, 403],
      run: async (_c, { token, expires_in: seconds }) => {
        const { secret, keyId, expiresAt } = await workloads.exchange(token, seconds);
        const { userId } = await keys.get(keyId);
        return { key: secret, key_id: keyId, user_id: userId, expires_at: rfc3339OrNull(expiresAt) };
      },
    }),
  ];
}
