import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CancelledNotificationSchema,
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';

/** A transport that knows which of the client's requests are still unanswered. */
export interface TrackedTransport extends Transport {
  /** Resolves when every request that came is answered or cancelled. */
  settled(): Promise<void>;
  /** Does what the client's own notification of cancelling would do. */
  cancel(id: RequestId): void;
}

export interface TrackingHooks {
  readonly onRequest?: (id: RequestId) => void;
  readonly onCancelled?: (id: RequestId) => void;
}

export function trackRequests(inner: Transport, hooks: TrackingHooks = {}): TrackedTransport {
  const open = new Set<RequestId>();
  let waiting: (() => void)[] = [];
  const forget = (id: RequestId): void => {
    open.delete(id);
    if (open.size > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  };
  const notice = (message: JSONRPCMessage): void => {
    if (isJSONRPCRequest(message)) {
      open.add(message.id);
      hooks.onRequest?.(message.id);
      return;
    }
    const id = cancelledId(message);
    if (id === undefined || !open.has(id)) return;
    hooks.onCancelled?.(id);
    forget(id);
  };

  const tracked: TrackedTransport = {
    get sessionId() {
      return inner.sessionId;
    },
    start() {
      inner.onclose = () => tracked.onclose?.();
      inner.onerror = (error) => tracked.onerror?.(error);
      inner.onmessage = (message, extra) => {
        notice(message);
        tracked.onmessage?.(message, extra);
      };
      return inner.start();
    },
    async send(message, options) {
      try {
        await inner.send(message, options);
      } finally {
        const id = answeredId(message);
        if (id !== undefined) forget(id);
      }
    },
    close: () => inner.close(),
    settled: () => (open.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    cancel: (requestId) =>
      inner.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }),
  };
  return tracked;
}

function answeredId(message: JSONRPCMessage): RequestId | undefined {
  return isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message) ? message.id : undefined;
}

function cancelledId(message: JSONRPCMessage): RequestId | undefined {
  return CancelledNotificationSchema.safeParse(message).data?.params.requestId;
}
