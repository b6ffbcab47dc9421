import { answerOf } from '#serve/http/openapi/describe.ts';
import type { ManagerContext } from '../../context.ts';
import { listCall, serverCall } from '../env.ts';
import type { Route } from '#serve/http/route.ts';
import type { ManagerHttpParts } from '../parts.ts';
import { generatedPromptBody, promptArguments, promptsBody } from '../schemas/prompts.ts';
import { compact } from '../views/compact.ts';
import { generatedPromptView, serverPromptView } from '../views/resource-view.ts';
import { CURSOR_PARAMETER, SERVER_NAME } from './operations.ts';

/** `/api/v1/servers/{name}/prompts`: lists and renders prompts. */
export function serverPromptRoutes(
  { calls }: ManagerContext,
  { guards, route }: ManagerHttpParts,
): readonly Route[] {
  return [
    route({
      method: 'get',
      path: '/api/v1/servers/:name/prompts',
      guard: guards.upstream,
      id: 'listPrompts',
      tag: 'Prompts',
      summary: 'List a server’s prompts.',
      parameters: [SERVER_NAME, CURSOR_PARAMETER],
      answer: answerOf('The prompts.', promptsBody, {
        prompts: [{ name: 'greet', arguments: [{ name: 'who', required: true }] }],
      }),
      errors: [501],
      run: async (c) => {
        const page = await calls.listPrompts(listCall(c, c.req.param('name')));
        const { nextCursor } = page;
        return { prompts: page.items.map(serverPromptView), ...compact({ nextCursor }) };
      },
    }),
    route({
      method: 'post',
      path: '/api/v1/servers/:name/prompts/:promptName',
      guard: guards.upstream,
      id: 'generatePrompt',
      tag: 'Prompts',
      summary: 'Fill in a prompt.',
      parameters: [SERVER_NAME, { name: 'promptName', description: 'Name of the prompt.', example: 'greet' }],
      request: { schema: promptArguments, examples: { arguments: { arguments: { who: 'Ada' } } } },
      answer: answerOf('The messages.', generatedPromptBody, {
        messages: [{ role: 'user', content: { type: 'text', text: 'Greet Ada.' } }],
      }),
      errors: [501],
      run: async (c, body) => {
        const { name, promptName: prompt } = c.req.param();
        const { arguments: args = {} } = body;
        const generated = await calls.getPrompt({ ...serverCall(c, name), prompt, args });
        return generatedPromptView(generated);
      },
    }),
  ];
}
