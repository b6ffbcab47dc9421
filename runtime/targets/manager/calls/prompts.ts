import { AppError, inputError } from '../../../contract/errors.ts';
import { RpcFailure } from '../upstream/connection.ts';
import type { Params } from '../shapes/shape.ts';
import type { Calls } from './call.ts';
import type { Ask, Question } from './ask.ts';
import { isInvalidParams, isMethodNotFound, notImplemented } from './failures.ts';
import { demand, listPage } from './list-page.ts';
import { listAllPages } from './list-pages.ts';
import { LIST_QUESTIONS } from './list-questions.ts';
import { mayRead } from './offered.ts';
import { promptResult } from '../shapes/results.ts';
import type { CheckList } from '../shapes/check-list.ts';
import type { Visit } from './visit.ts';

export function promptCalls(ask: Ask, checkList: CheckList): Pick<Calls, 'listPrompts' | 'getPrompt'> {
  return {
    listPrompts: (call) =>
      ask(call, LIST_QUESTIONS.prompts, (visit) =>
        listPage(visit, { list: 'prompts', cursor: call.cursor, caller: call.caller }, checkList),
      ),
    getPrompt(call) {
      const { prompt, args } = call;
      const question: Question = {
        kind: 'prompt',
        audited: { name: prompt, args },
        texts: (server) => ({
          title: 'MCP server error getting prompt',
          detail: `prompt generation from template failed: ${server}: ${prompt}`,
        }),
      };
      return ask(call, question, async (visit) => {
        if (!mayRead(call.caller, visit.server.spec(), 'prompt', prompt)) {
          throw new AppError('ForbiddenError', `prompt not allowed: ${visit.server.name}/${prompt}`);
        }
        await demand(visit, 'prompts');
        try {
          return promptResult(await visit.request('prompts/get', { name: prompt, arguments: args }));
        } catch (error) {
          throw await judge(error, visit, prompt);
        }
      });
    },
  };
}

/** Servers refuse an unknown prompt with all kinds of codes, and bad arguments with the same ones: their list tells which. */
async function judge(error: unknown, visit: Visit, prompt: string): Promise<unknown> {
  if (!(error instanceof RpcFailure)) return error;
  const { name } = visit.server;
  if (isMethodNotFound(error)) return notImplemented('prompts', name);
  if (await isUnlisted(visit, prompt)) {
    return new AppError('NotFoundError', `prompt not found: ${name}/${prompt}`, { cause: error });
  }
  if (!isInvalidParams(error)) return error;
  return inputError(`prompt arguments not accepted: ${name}/${prompt}: ${error.message}`, error);
}

async function isUnlisted(visit: Visit, prompt: string): Promise<boolean> {
  const askPage = (cursor: string | undefined): Promise<Params> =>
    visit.request('prompts/list', cursor === undefined ? undefined : { cursor });
  const prompts = await listAllPages('prompts', askPage).catch(() => undefined);
  return prompts !== undefined && !prompts.some(({ name }) => name === prompt);
}
