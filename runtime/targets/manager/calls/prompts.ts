import { AppError, inputError } from '#contract/errors.ts';
import { RpcFailure } from '../upstream/connection.ts';
import type { Params } from '../shapes/shape.ts';
import type { Calls } from './call.ts';
import type { RunCall, CallInfo } from './run-call.ts';
import { isInvalidParams, isMethodNotFound, notImplemented } from './failures.ts';
import { requireCapability, listPage } from './list-page.ts';
import { listAllPages } from './list-pages.ts';
import { LIST_CALL_INFO } from './list-call-info.ts';
import { canRead } from './permissions.ts';
import { promptResult } from '../shapes/results.ts';
import type { CheckList } from '../shapes/check-list.ts';
import type { CallContext } from './call-context.ts';

export function promptCalls(
  runCall: RunCall,
  checkList: CheckList,
): Pick<Calls, 'listPrompts' | 'getPrompt'> {
  return {
    listPrompts: (call) =>
      runCall(call, LIST_CALL_INFO.prompts, (context) => listPage(context, 'prompts', call, checkList)),
    getPrompt(call) {
      const { prompt, args } = call;
      const info: CallInfo = {
        kind: 'prompt',
        audited: { name: prompt, args },
        texts: (server) => ({
          title: 'MCP server error getting prompt',
          detail: `prompt generation from template failed: ${server}: ${prompt}`,
        }),
      };
      return runCall(call, info, async (context) => {
        if (!canRead(call.caller, context.server.spec(), 'prompt', prompt)) {
          throw new AppError('ForbiddenError', `prompt not allowed: ${context.server.name}/${prompt}`);
        }
        await requireCapability(context, 'prompts');
        try {
          return promptResult(await context.request('prompts/get', { name: prompt, arguments: args }));
        } catch (error) {
          throw await explainRpcFailure(error, context, prompt);
        }
      });
    },
  };
}

/** Distinguishes unknown prompts from invalid arguments by the list of prompts, because servers use the same codes for both. */
async function explainRpcFailure(error: unknown, context: CallContext, prompt: string): Promise<unknown> {
  if (!(error instanceof RpcFailure)) return error;
  const { name } = context.server;
  if (isMethodNotFound(error)) return notImplemented('prompts', name);
  if (await isUnlisted(context, prompt)) {
    return new AppError('NotFoundError', `prompt not found: ${name}/${prompt}`, { cause: error });
  }
  if (!isInvalidParams(error)) return error;
  return inputError(`prompt arguments not accepted: ${name}/${prompt}: ${error.message}`, error);
}

async function isUnlisted(context: CallContext, prompt: string): Promise<boolean> {
  const fetchPage = (cursor: string | undefined): Promise<Params> =>
    context.request('prompts/list', cursor === undefined ? undefined : { cursor });
  const prompts = await listAllPages('prompts', fetchPage).catch(() => undefined);
  return prompts !== undefined && !prompts.some(({ name }) => name === prompt);
}
