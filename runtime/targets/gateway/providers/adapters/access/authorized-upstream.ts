import type { Waiter, Upstream, UpstreamAnswer, UpstreamRequest } from '../upstream.ts';
import type { Renewed } from './access.ts';
import type { Clock } from '#platform/clock.ts';
import { signV4, type AwsKeys } from './sign-v4.ts';
import { trimEndOf } from '#core/text/trim-text.ts';

type UnsentRequest = Omit<UpstreamRequest, 'waiter'>;

/** Adds credentials to requests. */
export interface ProviderAccess {
  /** Headers without which the server rejects the request. */
  headers(request: UnsentRequest): Promise<Readonly<Record<string, string>>>;
  /** Called when the server rejected the credentials. */
  readonly refused?: (() => void) | undefined;
}

/** An upstream that adds credentials that change over time to each request. */
export function authorizedUpstream(upstream: Upstream, access: ProviderAccess): Upstream {
  return {
    async request({ waiter, ...request }): Promise<UpstreamAnswer> {
      const credentials = await unlessCancelled(access.headers(request), waiter);
      const headers = { ...request.headers, ...credentials };
      const answer = await upstream.request({ ...request, headers, waiter });
      if (answer.status === 401) access.refused?.();
      return answer;
    },
    close: () => upstream.close(),
  };
}

async function unlessCancelled<Value>(promise: Promise<Value>, waiter: Waiter): Promise<Value> {
  const { promise: cancelled, reject } = Promise.withResolvers<never>();
  waiter.onCancel(() => reject(new Error('aborted')));
  return await Promise.race([promise, cancelled]);
}

/** Adds a renewable token to requests. A token that the server has rejected is not used again. */
export const bearerAccess = (token: Renewed<string>): ProviderAccess => ({
  headers: async () => ({ authorization: `Bearer ${await token.get()}` }),
  refused: () => token.forget(),
});

interface AwsAccessParts {
  readonly keys: Renewed<AwsKeys>;
  readonly region: string;
  readonly service: string;
  /** Base URL to which request paths are relative. */
  readonly baseUrl: string;
  readonly clock: Clock;
}

/** Signs requests to an Amazon service with Amazon keys. */
export function awsAccess({ keys, region, service, baseUrl, clock }: AwsAccessParts): ProviderAccess {
  const base = trimEndOf(baseUrl, '/');
  return {
    async headers({ method, path, body }) {
      const now = clock.now();
      return signV4(
        { method, url: new URL(base + path), body },
        { keys: await keys.get(), region, service, now },
      );
    },
    refused: () => keys.forget(),
  };
}
