import { AppError, inputError } from '../../../contract/errors.ts';
import type { Params } from '../shapes/shape.ts';
import type { Calls, ServerCall } from './call.ts';
import type { Ask, Question } from './ask.ts';
import { isMethodNotFound, notImplemented } from './failures.ts';
import { demand } from './list-page.ts';
import { mayRead } from './offered.ts';
import { demandResource } from './resources.ts';
import { completionResult } from '../shapes/results.ts';
import type { Visit } from './visit.ts';
import { membersOf } from '../../../core/json/members-of.ts';

const question = (doing: string): Question => ({
  kind: 'other',
  texts: (server) => ({ title: `MCP server error ${doing}`, detail: `${doing} failed: ${server}` }),
});
const COMPLETING = question('completing an argument');
const SUBSCRIBING = question('subscribing to a resource');
const SETTING_LEVEL = question('setting the log level');

/** What only clients of MCP ask. */
export function sideCalls(ask: Ask): Pick<Calls, 'complete' | 'subscribe' | 'unsubscribe' | 'setLogLevel'> {
  const aboutResource = async (
    method: string,
    call: ServerCall & { readonly uri: string },
  ): Promise<void> => {
    await ask(call, SUBSCRIBING, async (visit) => {
      await demandResource(visit, call);
      return requestIfKnown(visit, 'subscriptions', method, { uri: call.uri });
    });
  };
  return {
    complete: (call) =>
      ask(call, COMPLETING, async (visit) => {
        demandReference(visit, call);
        await demand(visit, 'completions');
        return completionResult(
          await requestIfKnown(visit, 'completions', 'completion/complete', call.params),
        );
      }),
    subscribe: (call) => aboutResource('resources/subscribe', call),
    unsubscribe: (call) => aboutResource('resources/unsubscribe', call),
    async setLogLevel(call) {
      await ask(call, SETTING_LEVEL, async (visit) => {
        await demand(visit, 'logging');
        return requestIfKnown(visit, 'logging', 'logging/setLevel', { level: call.level });
      });
    },
  };
}

async function requestIfKnown(visit: Visit, what: string, method: string, params: Params): Promise<Params> {
  try {
    return await visit.request(method, params);
  } catch (error) {
    throw isMethodNotFound(error) ? notImplemented(what, visit.server.name) : error;
  }
}

function demandReference(
  { server }: Visit,
  { caller, params }: ServerCall & { readonly params: Params },
): void {
  const { type, name, uri } = membersOf(params['ref']);
  const spec = server.spec();
  if (type === 'ref/prompt' && typeof name === 'string') {
    if (mayRead(caller, spec, 'prompt', name)) return;
    throw new AppError('ForbiddenError', `prompt not allowed: ${server.name}/${name}`);
  }
  if (type === 'ref/resource' && typeof uri === 'string') {
    if (mayRead(caller, spec, 'resource', uri)) return;
    throw new AppError('ForbiddenError', `resource not allowed: ${server.name}: ${uri}`);
  }
  throw inputError('`ref` must name a prompt (ref/prompt, name) or a resource (ref/resource, uri).');
}
