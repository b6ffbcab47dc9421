import type { ManagerContext } from '../../context.ts';
import { listCall, serverCall } from '../env.ts';
import type { Route } from '#serve/http/route.ts';
import type { ManagerHttpParts } from '../parts.ts';
import { requiredText } from '#serve/http/query.ts';
import { answerOf } from '#serve/http/openapi/describe.ts';
import { resourceContents, resourcesBody, resourceTemplatesBody } from '../schemas/resources.ts';
import { compact } from '../views/compact.ts';
import { contentView, resourceView, templateView } from '../views/resource-view.ts';
import { CURSOR_PARAMETER, SERVER_NAME } from './operations.ts';

/** `/api/v1/servers/{name}/resources`: lists resources and templates, and reads resources. */
export function resourceRoutes(
  { calls }: ManagerContext,
  { guards, route }: ManagerHttpParts,
): readonly Route[] {
  return [
    route({
      method: 'get',
      path: '/api/v1/servers/:name/resources',
      guard: guards.upstream,
      id: 'listResources',
      tag: 'Resources',
      summary: 'List a server’s resources.',
      parameters: [SERVER_NAME, CURSOR_PARAMETER],
      answer: answerOf('The resources.', resourcesBody, {
        resources: [{ uri: 'file:///notes.txt', name: 'notes', mimeType: 'text/plain' }],
      }),
      errors: [501],
      run: async (c) => {
        const page = await calls.listResources(listCall(c, c.req.param('name')));
        const { nextCursor } = page;
        return { resources: page.items.map(resourceView), ...compact({ nextCursor }) };
      },
    }),
    route({
      method: 'get',
      path: '/api/v1/servers/:name/resources/templates',
      guard: guards.upstream,
      id: 'listResourceTemplates',
      tag: 'Resources',
      summary: 'List a server’s resource templates.',
      parameters: [SERVER_NAME, CURSOR_PARAMETER],
      answer: answerOf('The templates.', resourceTemplatesBody, {
        templates: [{ uriTemplate: 'file:///{path}', name: 'files' }],
      }),
      errors: [501],
      run: async (c) => {
        const page = await calls.listResourceTemplates(listCall(c, c.req.param('name')));
        const { nextCursor } = page;
        return {
          templates: page.items.map(templateView),
          ...compact({ nextCursor }),
        };
      },
    }),
    route({
      method: 'get',
      path: '/api/v1/servers/:name/resources/content',
      guard: guards.upstream,
      id: 'getResourceContent',
      tag: 'Resources',
      summary: 'Read a resource.',
      parameters: [
        SERVER_NAME,
        {
          name: 'uri',
          in: 'query',
          description: 'URI of the resource.',
          example: 'file:///notes.txt',
        },
      ],
      answer: answerOf('The contents of the resource.', resourceContents, [
        { uri: 'file:///notes.txt', mimeType: 'text/plain', text: 'Buy milk.' },
      ]),
      errors: [422, 501],
      run: async (c) => {
        const uri = requiredText(c, 'uri', 'set it to the URI of a resource');
        const contents = await calls.readResource({ ...serverCall(c, c.req.param('name')), uri });
        return contents.map(contentView);
      },
    }),
  ];
}
