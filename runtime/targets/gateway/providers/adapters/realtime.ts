import { randomBytes } from 'node:crypto';
import { failure, thrownFailure } from './failure.ts';
import type { FailedAnswer, Provider, ProviderAdapter, ProviderLimits, Upstream } from './provider.ts';
import type { OpenedSocket, RealtimeCall } from './realtime-call.ts';
import type { Redact } from './redact.ts';

interface DialerParts {
  readonly adapter: Pick<ProviderAdapter, 'realtimePath'>;
  readonly upstream: Upstream;
  readonly limits: ProviderLimits;
  readonly redact: Redact;
}

/** Opens WebSockets to a provider. Extensions are not offered, so frames pass through without compression. */
export function createRealtimeDialer({
  adapter,
  upstream,
  limits,
  redact,
}: DialerParts): Provider['realtime'] {
  const { realtimePath } = adapter;
  const dial = upstream.upgrade?.bind(upstream);
  if (!realtimePath || !dial) return undefined;
  return async ({ model, headers, signal }: RealtimeCall): Promise<OpenedSocket | FailedAnswer> => {
    const late = AbortSignal.timeout(limits.connectMs + limits.firstByteMs);
    try {
      const socket = await dial({
        path: realtimePath(model),
        headers: {
          ...headers,
          'sec-websocket-version': '13',
          'sec-websocket-key': randomBytes(16).toString('base64'),
        },
        signal: AbortSignal.any([signal, late]),
      });
      return { kind: 'socket', socket, maxFrameBytes: limits.maxEventBytes };
    } catch (error) {
      if (signal.aborted) return failure('cancelled');
      const facts = { isCancelled: false, timedOut: late.aborted, redact };
      return { kind: 'failed', failure: thrownFailure(error, facts) };
    }
  };
}
