import { admit } from '#serve/lifecycle.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { BODY_ERRORS } from '#serve/http/openapi/statuses.ts';
import { answerOf } from '#serve/http/openapi/describe.ts';
import type { ManagerContext } from '../../context.ts';
import { listCall, serverCall } from '../env.ts';
import { type HttpParts, type ManagerRoutes, newRoutes } from '../parts.ts';
import { generatedPromptBody, promptArguments, promptsBody } from '../schemas/prompts.ts';
import { compact } from '../views/compact.ts';
import { generatedPromptView, promptView } from '../views/prompt-view.ts';
import { cursor, serverName, UPSTREAM_ERRORS } from './operations.ts';

/** `/api/v1/servers/{name}/prompts`: listing prompts, and filling them in. */
export function promptRoutes({ calls, kernel }: ManagerContext, parts: HttpParts): ManagerRoutes {
  const { answer, readBody } = parts;
  const routes = newRoutes();

  routes.get('/api/v1/servers/:name/prompts', admit(kernel.lifecycle), async (c) => {
    const page = await calls.listPrompts(listCall(c, c.req.param('name')));
    const { nextCursor } = page;
    return answer(c, 'Prompts', { prompts: page.items.map(promptView), ...compact({ nextCursor }) });
  });
  routes.post('/api/v1/servers/:name/prompts/:promptName', admit(kernel.lifecycle), async (c) => {
    const { name, promptName: prompt } = c.req.param();
    const { arguments: args = {} } = await readBody(c, promptArguments);
    const generated = await calls.getPrompt({ ...serverCall(c, name), prompt, args });
    return answer(c, 'GeneratePromptResponseBody', generatedPromptView(generated));
  });

  return { routes, operations: [LIST, GENERATE] };
}

const LIST: Operation = {
  method: 'get',
  path: '/api/v1/servers/{name}/prompts',
  id: 'listPrompts',
  tag: 'Prompts',
  summary: 'List the prompts of a server.',
  parameters: [serverName, cursor],
  answer: answerOf('The prompts.', promptsBody, {
    prompts: [{ name: 'greet', arguments: [{ name: 'who', required: true }] }],
  }),
  errors: [...UPSTREAM_ERRORS, 501],
};

const GENERATE: Operation = {
  method: 'post',
  path: '/api/v1/servers/{name}/prompts/{promptName}',
  id: 'generatePrompt',
  tag: 'Prompts',
  summary: 'Fill in a prompt.',
  parameters: [serverName, { name: 'promptName', description: 'Name of the prompt.', example: 'greet' }],
  request: { schema: promptArguments, examples: { arguments: { arguments: { who: 'Ada' } } } },
  answer: answerOf('The messages.', generatedPromptBody, {
    messages: [{ role: 'user', content: { type: 'text', text: 'Greet Ada.' } }],
  }),
  errors: [...BODY_ERRORS, ...UPSTREAM_ERRORS, 501],
};
