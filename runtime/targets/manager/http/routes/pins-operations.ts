import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { pinnedToolsBody, removedPinsBody, toolPoliciesBody } from '../schemas/pins.ts';
import { DRY_RUN, flagParameter } from './flag-parameter.ts';
import { serverName } from './operations.ts';
import { PAGE_PARAMETERS } from './paging.ts';

export const LIST_POLICIES: Operation = {
  method: 'get',
  path: '/api/v1/admin/pins',
  id: 'listToolPolicies',
  tag: 'Pins',
  summary: 'List the servers with pinned tools, approval rules or overrides of tools.',
  parameters: [
    flagParameter('changed', 'Whether only servers are returned whose tools differ from their pins.'),
    ...PAGE_PARAMETERS,
  ],
  answer: answerOf('A page of the servers.', toolPoliciesBody, {
    servers: [
      {
        server: 'git',
        pinned: 12,
        onChange: 'block',
        changedTools: [{ tool: 'git_push', change: 'changed' }],
        approvals: [{ tools: ['*'], when: 'destructive', action: 'ask' }],
        overrides: [{ tool: 'git_log', rename: 'log', hidden: false, described: false }],
      },
    ],
    total: 1,
  }),
  errors: [403, 422],
};

export const PIN: Operation = {
  method: 'post',
  path: '/api/v1/admin/servers/{name}/pin',
  id: 'pinTools',
  tag: 'Pins',
  summary: 'Pin the current tools of a server.',
  description:
    'Starts the server once more to read its tools. With `dry_run`, the tools are only compared. Requires a key with edit permission.',
  parameters: [serverName, DRY_RUN],
  answer: answerOf('The tools, compared with their pins before.', pinnedToolsBody, {
    server: 'git',
    tools: 12,
    differences: [
      {
        tool: 'git_push',
        change: 'changed',
        members: ['description'],
        lines: ['  description:', '    - Push.'],
      },
    ],
    written: true,
  }),
  errors: [403, 404, 422, 502],
};

export const UNPIN: Operation = {
  method: 'delete',
  path: '/api/v1/admin/servers/{name}/pin',
  id: 'unpinTools',
  tag: 'Pins',
  summary: 'Remove the pins of a server.',
  description: 'Requires a key with edit permission.',
  parameters: [serverName],
  answer: answerOf('Whether the server had pins.', removedPinsBody, { server: 'git', removed: true }),
  errors: [403, 404, 422],
};
