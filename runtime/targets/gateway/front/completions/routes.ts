import type { HttpBindings } from '@hono/node-server';
import { readJsonBytes } from '../../../../serve/http/body.ts';
import type { Endpoint } from '../../ask/completions/completion.ts';
import { ENDPOINTS } from '../../ask/completions/endpoints/index.ts';
import type { GatewayContext } from '../../context.ts';
import { toReadableStream } from '../../ask/streams/readable-stream.ts';
import { type GatewayAppOptions, modelBodies } from '../app-options.ts';
import { EVENT_STREAM, KEEP_ALIVE } from './event-stream.ts';
import { type GatewayRoutes, newRoutes } from '../http/parts.ts';
import { createSignIn } from '../sign-in/sign-in.ts';
import { COMPLETION_OPERATIONS } from './operations.ts';

/** The routes on which models are asked. `http/direct.ts` answers most requests to them before they come here. */
export function completionRoutes(context: GatewayContext, options: GatewayAppOptions): GatewayRoutes {
  const { kernel, clock, completions } = context;
  const signIn = createSignIn(context);
  const bodies = modelBodies(options);
  const routes = newRoutes();

  for (const endpoint of Object.keys(ENDPOINTS) as Endpoint[]) {
    routes.post(endpoint, async (c) => {
      const startedAt = clock.now();
      const { headers } = c.req.raw;
      const asking = await signIn.asking(headers);
      c.set('caller', asking);
      const cut = new AbortController();
      const signal = AbortSignal.any([c.req.raw.signal, cut.signal]);
      const leave = kernel.lifecycle.enter((reason) => cut.abort(reason));
      try {
        const bytes = await readJsonBytes(c, bodies);
        const caller = asking.payer;
        const requestId = c.get('requestId');
        const setHeader = (name: string, value: string): void => c.header(name, value);
        const asked = { endpoint, caller, bytes, headers, requestId, startedAt, signal, setHeader };
        const answer = await completions.answer(asked);
        if (answer.kind === 'whole') {
          leave();
          return c.body(Buffer.from(answer.json), 200, { 'Content-Type': 'application/json' });
        }
        // Not with the last byte that was sent: whoever leaves early lets it end as well.
        void answer.events.ended.then(leave);
        // There is none where an app is asked without a server.
        const outgoing = (c.env as Partial<HttpBindings> | undefined)?.outgoing;
        void answer.events.unread.then(() => outgoing?.destroy());
        const body = toReadableStream(answer.events, { clock, keepAliveMs: KEEP_ALIVE.milliseconds });
        return c.body(body, 200, { 'Content-Type': EVENT_STREAM });
      } catch (error) {
        leave();
        throw error;
      }
    });
  }

  return { routes, operations: COMPLETION_OPERATIONS };
}
