import type { Exchange } from './exchange.ts';
import type { FailedAnswer, ProviderLimits } from './provider.ts';
import type { ObjectCall, ProviderObjects } from './provider-objects.ts';

interface ObjectsParts {
  readonly exchange: Exchange;
  readonly limits: ProviderLimits;
}

/** Calls OpenAI's APIs of files, batches and stored responses, whose answers pass through unchanged. */
export function createProviderObjects({ exchange, limits }: ObjectsParts): ProviderObjects<FailedAnswer> {
  const limitOf = ({ signal }: ObjectCall) => ({ signal, timeoutMs: limits.answerMs });
  return {
    call: async (call) =>
      await exchange.json(requestOf(call), limitOf(call), ({ bytes, json }) => ({
        kind: 'object' as const,
        bytes,
        json,
      })),
    open: async (call) =>
      await exchange.open(requestOf(call), limitOf(call), ({ headers, body }) =>
        Promise.resolve({
          kind: 'opened' as const,
          type: String(headers['content-type'] ?? 'application/octet-stream'),
          body,
        }),
      ),
  };
}

const requestOf = ({ method, path, body, headers }: ObjectCall) => ({ method, path, body, headers });
