import { AppError, inputError } from '#contract/errors.ts';
import type { Params } from '../shapes/shape.ts';
import type { Calls, ServerCall } from './call.ts';
import type { RunCall, CallInfo } from './run-call.ts';
import { isMethodNotFound, notImplemented } from './failures.ts';
import { requireCapability } from './list-page.ts';
import { canRead } from './permissions.ts';
import { requireResource } from './resources.ts';
import { completionResult } from '../shapes/results.ts';
import type { CallContext } from './call-context.ts';
import { membersOf } from '#core/json/members-of.ts';

const info = (action: string): CallInfo => ({
  kind: 'other',
  texts: (server) => ({ title: `MCP server error ${action}`, detail: `${action} failed: ${server}` }),
});
const COMPLETING = info('completing an argument');
const SUBSCRIBING = info('subscribing to a resource');
const SETTING_LEVEL = info('setting the log level');

/** The calls that only MCP has: completions, subscriptions and log levels. */
export function mcpCalls(
  runCall: RunCall,
): Pick<Calls, 'complete' | 'subscribe' | 'unsubscribe' | 'setLogLevel'> {
  const aboutResource = async (
    method: string,
    call: ServerCall & { readonly uri: string },
  ): Promise<void> => {
    await runCall(call, SUBSCRIBING, async (context) => {
      await requireResource(context, call);
      return requestIfKnown(context, 'subscriptions', method, { uri: call.uri });
    });
  };
  return {
    complete: (call) =>
      runCall(call, COMPLETING, async (context) => {
        requireReference(context, call);
        await requireCapability(context, 'completions');
        return completionResult(
          await requestIfKnown(context, 'completions', 'completion/complete', call.params),
        );
      }),
    subscribe: (call) => aboutResource('resources/subscribe', call),
    unsubscribe: (call) => aboutResource('resources/unsubscribe', call),
    async setLogLevel(call) {
      await runCall(call, SETTING_LEVEL, async (context) => {
        await requireCapability(context, 'logging');
        return requestIfKnown(context, 'logging', 'logging/setLevel', { level: call.level });
      });
    },
  };
}

async function requestIfKnown(
  context: CallContext,
  capability: string,
  method: string,
  params: Params,
): Promise<Params> {
  try {
    return await context.request(method, params);
  } catch (error) {
    throw isMethodNotFound(error) ? notImplemented(capability, context.server.name) : error;
  }
}

function requireReference(
  { server }: CallContext,
  { caller, params }: ServerCall & { readonly params: Params },
): void {
  const { type, name, uri } = membersOf(params['ref']);
  const spec = server.spec();
  if (type === 'ref/prompt' && typeof name === 'string') {
    if (canRead(caller, spec, 'prompt', name)) return;
    throw new AppError('ForbiddenError', `prompt not allowed: ${server.name}/${name}`);
  }
  if (type === 'ref/resource' && typeof uri === 'string') {
    if (canRead(caller, spec, 'resource', uri)) return;
    throw new AppError('ForbiddenError', `resource not allowed: ${server.name}: ${uri}`);
  }
  throw inputError('`ref` must be a prompt (ref/prompt with name) or a resource (ref/resource with uri).');
}
