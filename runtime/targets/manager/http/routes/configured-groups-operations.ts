import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { BODY_ERRORS } from '#serve/http/openapi/statuses.ts';
import { editedBody } from '../schemas/configuration.ts';
import { groupConfigurationBody, groupRequest } from '../schemas/groups.ts';
import { EDITING, REVISION, REVISION_PARAMETER } from './configuration-operations.ts';
import { DRY_RUN } from './flag-parameter.ts';

const RESEARCH = { name: 'research', servers: ['time'], tools: ['git/log'] };
const EDITED = answerOf('The change.', editedBody, {
  diff: '--- .mcpd.toml\n+++ .mcpd.toml\n@@ -6,1 +6,2 @@\n servers = ["time"]\n+tools = ["git/log"]\n',
  written: true,
  warnings: [],
  applied: { added: [], removed: [], restarted: [], updated: [] },
});
const NAME = { name: 'name', description: 'Name of the group (case-insensitive).', example: 'research' };
const REQUEST = { schema: groupRequest, examples: { group: { ...RESEARCH, revision: REVISION } } };

export const CONFIGURED_GROUP_OPERATIONS: readonly Operation[] = [
  {
    method: 'post',
    path: '/api/v1/admin/configuration/groups',
    id: 'addGroup',
    tag: 'Configuration',
    summary: 'Add a group to the configuration file.',
    description: EDITING,
    parameters: [DRY_RUN],
    request: REQUEST,
    answer: EDITED,
    errors: [...BODY_ERRORS, 403, 409],
  },
  {
    method: 'get',
    path: '/api/v1/admin/configuration/groups/{name}',
    id: 'getGroupConfiguration',
    tag: 'Configuration',
    summary: 'Get a group as it is in the file.',
    description: 'Requires a key with admin permission.',
    parameters: [NAME],
    answer: answerOf('The group.', groupConfigurationBody, {
      ...RESEARCH,
      prompts: [],
      resources: [],
      path: '/etc/mcp/.mcpd.toml',
      revision: REVISION,
    }),
    errors: [403, 404, 422],
  },
  {
    method: 'put',
    path: '/api/v1/admin/configuration/groups/{name}',
    id: 'replaceGroup',
    tag: 'Configuration',
    summary: 'Replace the name and the patterns of a group in the file.',
    description: `Lists that are not set become empty. ${EDITING}`,
    parameters: [NAME, DRY_RUN],
    request: REQUEST,
    answer: EDITED,
    errors: [...BODY_ERRORS, 403, 409],
  },
  {
    method: 'delete',
    path: '/api/v1/admin/configuration/groups/{name}',
    id: 'removeGroup',
    tag: 'Configuration',
    summary: 'Remove a group from the configuration file.',
    description: `Keys that are limited to the group can then use nothing. ${EDITING}`,
    parameters: [NAME, DRY_RUN, REVISION_PARAMETER],
    answer: EDITED,
    errors: [403, 409, 422],
  },
];
