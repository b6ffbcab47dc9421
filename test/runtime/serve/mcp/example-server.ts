import { once } from 'node:events';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema } from '@modelcontextprotocol/sdk/types.js';

/** Its tool `echo` answers at once; `wait` answers when told to, or tells that it was cancelled. */
export interface Example {
  readonly createServer: () => Server;
  /** Lets every `wait` of now and later answer. */
  release(): void;
  /** Resolves at the next event of this name. */
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
    createServer() {
      const server = new Server({ name: 'example', version: '1.0.0' }, { capabilities: { tools: {} } });
      server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
        if (params.name === 'wait') await wait(signal);
        return { content: [{ type: 'text', text: JSON.stringify(params.arguments ?? null) }] };
      });
      return server;
    },
    release: () => released.resolve(),
    next: (event) => once(events, event),
  };
}
