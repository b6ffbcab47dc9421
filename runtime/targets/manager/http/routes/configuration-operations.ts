import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { BODY_ERRORS } from '#serve/http/openapi/statuses.ts';
import {
  configurationBody,
  editedBody,
  newServerRequest,
  serverConfigurationBody,
  serverTextRequest,
} from '../schemas/configuration.ts';
import { DRY_RUN, flagParameter } from './flag-parameter.ts';
import { serverName } from './operations.ts';
import { PAGE_PARAMETERS, searchParameter } from './paging.ts';

const TEXT = '[[servers]]\nname = "time"\npackage = "uvx::mcp-server-time@2025.8.4"\ntools = ["*"]\n';
export const REVISION = '0f3a9c41b2d87e65';
export const REVISION_PARAMETER = {
  name: 'revision',
  in: 'query',
  description: 'The revision of the file that the change is based on.',
  example: REVISION,
} as const;
const EDITED = answerOf('The change.', editedBody, {
  diff: '--- .mcpd.toml\n+++ .mcpd.toml\n@@ -3,1 +3,2 @@\n tools = ["*"]\n+lazy = true\n',
  written: true,
  warnings: [],
  applied: { added: [], removed: [], restarted: [], updated: ['time'] },
});
export const EDITING =
  'The running manager applies the file; if it cannot, `problem` has the reason, and the file stays as written. Requires a key with edit permission.';

export const CONFIGURATION: Operation = {
  method: 'get',
  path: '/api/v1/admin/configuration',
  id: 'getConfiguration',
  tag: 'Configuration',
  summary: 'List the servers of the configuration file.',
  parameters: [searchParameter('Words that the name or the program must contain.'), ...PAGE_PARAMETERS],
  answer: answerOf('A page of the servers, in the order of the file.', configurationBody, {
    path: '/etc/mcp/.mcpd.toml',
    revision: REVISION,
    editable: true,
    servers: [
      { name: 'time', start: 'uvx::mcp-server-time@2025.8.4', enabled: true, readOnly: false, lazy: false },
    ],
    total: 1,
  }),
  errors: [403, 422],
};

export const ADD: Operation = {
  method: 'post',
  path: '/api/v1/admin/configuration/servers',
  id: 'addServer',
  tag: 'Configuration',
  summary: 'Add a server to the configuration file.',
  description: `Values that look like secrets are stored in the secrets file. ${EDITING}`,
  parameters: [DRY_RUN],
  request: {
    schema: newServerRequest,
    examples: {
      server: {
        name: 'time',
        settings: { package: 'uvx::mcp-server-time@2025.8.4', tools: ['*'] },
        secrets: { env: { API_KEY: 'secret' } },
      },
    },
  },
  answer: EDITED,
  errors: [...BODY_ERRORS, 403],
};

export const READ: Operation = {
  method: 'get',
  path: '/api/v1/admin/configuration/servers/{name}',
  id: 'getServerConfiguration',
  tag: 'Configuration',
  summary: 'Get the configuration of a server as it is in the file.',
  description: 'Requires a key with edit permission, because the file can contain values that are secret.',
  parameters: [serverName],
  answer: answerOf('The configuration.', serverConfigurationBody, {
    name: 'time',
    path: '/etc/mcp/.mcpd.toml',
    revision: REVISION,
    text: TEXT,
  }),
  errors: [403, 404, 422],
};

export const REPLACE: Operation = {
  method: 'put',
  path: '/api/v1/admin/configuration/servers/{name}',
  id: 'replaceServer',
  tag: 'Configuration',
  summary: 'Change the configuration of a server in the file.',
  description: EDITING,
  parameters: [serverName, DRY_RUN],
  request: { schema: serverTextRequest, examples: { text: { text: TEXT, revision: REVISION } } },
  answer: EDITED,
  errors: [...BODY_ERRORS, 403, 409],
};

export const REMOVE: Operation = {
  method: 'delete',
  path: '/api/v1/admin/configuration/servers/{name}',
  id: 'removeServer',
  tag: 'Configuration',
  summary: 'Remove a server from the configuration file.',
  description: EDITING,
  parameters: [
    serverName,
    DRY_RUN,
    flagParameter('with_secrets', 'Whether its values are removed from the secrets file, too.'),
    REVISION_PARAMETER,
  ],
  answer: EDITED,
  errors: [403, 409, 422],
};
