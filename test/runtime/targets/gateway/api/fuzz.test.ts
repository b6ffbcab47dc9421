import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Answer } from './open-gateway.ts';
import { useGateway } from './use-gateway.ts';

const gateway = useGateway();

const value = fc.jsonValue({ maxDepth: 3 });
const word = fc.oneof(
  fc.constantFrom('', '.', '%00', '%2F', 'ada', 'a%ZZ', '%F0%9F%99%82', 'me', 'reset-logs', 'history'),
  fc.string({ maxLength: 8, unit: 'binary' }).map((text) => encodeURIComponent(text.toWellFormed())),
);
const member = fc.constantFrom(
  ...'user_id alias budget_id blocked metadata rpm tpm max_parallel key_name expires_at allowed_models budget'.split(
    ' ',
  ),
  ...'is_active max_budget budget_duration_sec name model_key effective_at grace_seconds'.split(' '),
  ...'input_price_per_million output_price_per_million'.split(' '),
);
const parameter = fc.constantFrom('skip', 'limit', 'from', 'group_by', 'interval', 'user_id');
const requests = [
  fc.constantFrom('GET', 'POST', 'PATCH', 'DELETE'),
  fc.constantFrom('users', 'keys', 'budgets', 'pricing', 'usage', 'models'),
  fc.array(word, { maxLength: 3 }),
  fc.dictionary(parameter, word, { maxKeys: 2 }),
  fc.oneof(value, fc.dictionary(member, value, { maxKeys: 5 })),
] as const;

/** Success, or an error with a reason; never an unexpected error. */
const isTrustedFolder = ({ status, body }: Answer): boolean =>
  status < 400 || (status < 500 && typeof body.detail === 'string' && typeof body.error.code === 'string');

test('any request returns a valid gateway response and never an internal error', async () => {
  const { ask } = gateway();
  await fc.assert(
    fc.asyncProperty(...requests, async (method, collection, rest, query, sent) => {
      const search = new URLSearchParams(query).toString();
      const path = `/v1/${[collection, ...rest].join('/')}?${search}`;
      const isRead = method === 'GET' || method === 'DELETE';
      const answer = await ask(method, path, isRead ? undefined : sent);
      expect([answer.status, answer.text, isTrustedFolder(answer)]).toEqual([
        answer.status,
        answer.text,
        true,
      ]);
    }),
    { numRuns: 400 },
  );
});
