import { admit } from '#serve/lifecycle.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import type { ManagerContext } from '../../context.ts';
import { listCall, serverCall } from '../env.ts';
import { type HttpParts, type ManagerRoutes, newRoutes } from '../parts.ts';
import { requiredText } from '#serve/http/query.ts';
import { answerOf } from '#serve/http/openapi/describe.ts';
import { resourceContents, resourcesBody, resourceTemplatesBody } from '../schemas/resources.ts';
import { jsonAnswer } from '../struct-answer.ts';
import { compact } from '../views/compact.ts';
import { contentView, resourceView, templateView } from '../views/resource-view.ts';
import { cursor, serverName, UPSTREAM_ERRORS } from './operations.ts';

/** `/api/v1/servers/{name}/resources`: listing resources and templates, and reading resources. */
export function resourceRoutes({ calls, kernel }: ManagerContext, { answer }: HttpParts): ManagerRoutes {
  const routes = newRoutes();

  routes.get('/api/v1/servers/:name/resources', admit(kernel.lifecycle), async (c) => {
    const page = await calls.listResources(listCall(c, c.req.param('name')));
    const { nextCursor } = page;
    return answer(c, 'Resources', { resources: page.items.map(resourceView), ...compact({ nextCursor }) });
  });
  routes.get('/api/v1/servers/:name/resources/templates', admit(kernel.lifecycle), async (c) => {
    const page = await calls.listResourceTemplates(listCall(c, c.req.param('name')));
    const { nextCursor } = page;
    return answer(c, 'ResourceTemplates', {
      templates: page.items.map(templateView),
      ...compact({ nextCursor }),
    });
  });
  routes.get('/api/v1/servers/:name/resources/content', admit(kernel.lifecycle), async (c) => {
    const uri = requiredText(c, 'uri', 'set it to the URI of a resource');
    const contents = await calls.readResource({ ...serverCall(c, c.req.param('name')), uri });
    return jsonAnswer(c, contents.map(contentView));
  });

  return { routes, operations: [LIST, TEMPLATES, READ] };
}

const LIST: Operation = {
  method: 'get',
  path: '/api/v1/servers/{name}/resources',
  id: 'listResources',
  tag: 'Resources',
  summary: 'List the resources of a server.',
  parameters: [serverName, cursor],
  answer: answerOf('The resources.', resourcesBody, {
    resources: [{ uri: 'file:///notes.txt', name: 'notes', mimeType: 'text/plain' }],
  }),
  errors: [...UPSTREAM_ERRORS, 501],
};

const TEMPLATES: Operation = {
  method: 'get',
  path: '/api/v1/servers/{name}/resources/templates',
  id: 'listResourceTemplates',
  tag: 'Resources',
  summary: 'List the resource templates of a server.',
  parameters: [serverName, cursor],
  answer: answerOf('The templates.', resourceTemplatesBody, {
    templates: [{ uriTemplate: 'file:///{path}', name: 'files' }],
  }),
  errors: [...UPSTREAM_ERRORS, 501],
};

const READ: Operation = {
  method: 'get',
  path: '/api/v1/servers/{name}/resources/content',
  id: 'getResourceContent',
  tag: 'Resources',
  summary: 'Read a resource.',
  parameters: [
    serverName,
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
  errors: [...UPSTREAM_ERRORS, 422, 501],
};
