import type { Upstream, UpstreamAnswer, UpstreamRequest } from '../provider.ts';
import type { Waiter } from '../http/waiter.ts';

type UnsentRequest = Omit<UpstreamRequest, 'waiter'>;

/** Adds credentials to requests. */
export interface Access {
  /** The headers without which the server refuses the request. */
  headers(request: UnsentRequest): Promise<Readonly<Record<string, string>>>;
  /** Called when the server refused the credentials. */
  readonly refused?: (() => void) | undefined;
}

/** An upstream whose requests get credentials that change with time. */
export function authorizedUpstream(upstream: Upstream, access: Access): Upstream {
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
