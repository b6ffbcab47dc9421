import { once } from 'node:events';
import { RpcError } from '#serve/mcp/rpc-error.ts';
import type { Params } from '#serve/mcp/rpc-message.ts';
import type { SessionServer } from '#serve/mcp/session-server.ts';

/**
 * The tool `echo` responds immediately; `wait` responds on request, or reports its cancellation; `tell` sends its arguments before the
 * response; `tell-and-wait` does both; `ask` requests the client's roots.
 */
export interface Example {
  readonly server: SessionServer<void>;
  /** Completes all current and later `wait` calls. */
  release(): void;
  /** Resolves on the next event with this name. */
  next(event: 'started' | 'cancelled'): Promise<unknown>;
}

export function example(): Example {
  const events = new EventTarget();
  const released = Promise.withResolvers<void>();
  const tell = (name: string): void => void events.dispatchEvent(new Event(name));

  async function wait(signal: AbortSignal): Promise<void> {
    tell('started');
    const aborted = once(signal, 'abort').then(() => {
      tell('cancelled');
      throw new Error('cancelled');
    });
    await Promise.race([released.promise, aborted]);
  }

  return {
    server: {
      info: { name: 'example', version: '1.0.0' },
      capabilities: { tools: {} },
      async answer({ method, params, signal, notify, ask }) {
        if (method !== 'tools/call') throw new RpcError(-32_601, `Method not found: ${method}`);
        const args = (params['arguments'] ?? null) as Params | null;
        switch (params['name']) {
          case 'wait':
            await wait(signal);
            break;
          case 'tell':
            notify('notifications/message', { level: 'info', data: args });
            break;
          case 'tell-and-wait':
            notify('notifications/message', { level: 'info', data: args });
            await wait(signal);
            break;
          case 'ask':
            return { asked: await ask('roots/list', undefined, { signal, timeoutMs: Number(args?.['ms']) }) };
        }
        return { content: [{ type: 'text', text: JSON.stringify(args) }] };
      },
    },
    release: () => released.resolve(),
    next: (event) => once(events, event),
  };
}
