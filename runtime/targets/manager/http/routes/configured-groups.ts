import { AppError } from '#contract/errors.ts';
import { admit } from '#serve/lifecycle.ts';
import { addGroup, readGroup, removeGroup, replaceGroup } from '../../config-edit/groups-text.ts';
import { isJsonPath } from '../../config/config-file.ts';
import type { GroupSpec } from '../../config/group-spec.ts';
import { readServersText } from '../../config/read-servers-text.ts';
import { nameProblem } from '../../config/server-name.ts';
import type { ManagerContext } from '../../context.ts';
import type { ManagerFiles } from '../app-options.ts';
import { createServersChanger, explained, revisionOf } from '../change-servers.ts';
import { requireAdmin, requireEditor } from '../env.ts';
import { type HttpParts, type ManagerRoutes, newRoutes } from '../parts.ts';
import { groupRequest, groupConfigurationBody } from '../schemas/groups.ts';
import { found, notEditable } from './configuration.ts';
import { flagOf, DRY_RUN } from './flag-parameter.ts';
import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { BODY_ERRORS } from '#serve/http/openapi/statuses.ts';
import { editedBody } from '../schemas/configuration.ts';
import { EDITING, REVISION, REVISION_PARAMETER } from './configuration-operations.ts';

const GROUPS = '/api/v1/admin/configuration/groups';

/** `/api/v1/admin/configuration/groups`: the groups in the servers file. */
export function configuredGroupRoutes(
  context: ManagerContext,
  { paths }: ManagerFiles,
  { answer, readBody }: HttpParts,
): ManagerRoutes {
  const { lifecycle } = context.kernel;
  const changer = createServersChanger(paths, context);
  const routes = newRoutes();

  routes.post(GROUPS, admit(lifecycle), async (c) => {
    requireEditor(c, 'all');
    const { revision, ...group } = await readBody(c, groupRequest);
    const added = groupIn(group);
    const isDryRun = flagOf(c, 'dry_run');
    const edited = await changer.change({ edit: (file) => addGroup(file, added), revision, isDryRun });
    return answer(c, 'EditedConfiguration', edited);
  });
  routes.get(`${GROUPS}/:name`, async (c) => {
    requireAdmin(c, 'all');
    if (isJsonPath(paths.config)) throw notEditable(paths.config);
    const { whole } = await explained(() => readServersText(paths.config));
    const group = await found(() => readGroup(whole, c.req.param('name')));
    return answer(c, 'GroupConfiguration', {
      ...group,
      path: paths.config,
      revision: revisionOf(whole),
    });
  });
  routes.put(`${GROUPS}/:name`, admit(lifecycle), async (c) => {
    requireEditor(c, 'all');
    const { revision, ...group } = await readBody(c, groupRequest);
    const changed = groupIn(group);
    const edited = await changer.change({
      edit: (file) => replaceGroup(file, c.req.param('name'), changed),
      revision,
      isDryRun: flagOf(c, 'dry_run'),
    });
    return answer(c, 'EditedConfiguration', edited);
  });
  routes.delete(`${GROUPS}/:name`, admit(lifecycle), async (c) => {
    requireEditor(c, 'all');
    const edited = await changer.change({
      edit: (file) => removeGroup(file, c.req.param('name')),
      revision: c.req.query('revision') || undefined,
      isDryRun: flagOf(c, 'dry_run'),
    });
    return answer(c, 'EditedConfiguration', edited);
  });

  return { routes, operations: CONFIGURED_GROUP_OPERATIONS };
}

/** The group of a request. Throws an InputError if its name is invalid; its patterns are checked with the file. */
function groupIn({ name, ...lists }: Partial<GroupSpec> & Pick<GroupSpec, 'name'>): GroupSpec {
  const problem = nameProblem(name, 'group');
  if (problem !== undefined) throw new AppError('InputError', problem);
  return { name, servers: [], tools: [], prompts: [], resources: [], ...lists };
}

const RESEARCH = { name: 'research', servers: ['time'], tools: ['git/log'] };
const EDITED = answerOf('The change.', editedBody, {
  diff: '--- .mcpd.toml\n+++ .mcpd.toml\n@@ -6,1 +6,2 @@\n servers = ["time"]\n+tools = ["git/log"]\n',
  written: true,
  warnings: [],
  applied: { added: [], removed: [], restarted: [], updated: [] },
});
const NAME = { name: 'name', description: 'Name of the group (case-insensitive).', example: 'research' };
const REQUEST = { schema: groupRequest, examples: { group: { ...RESEARCH, revision: REVISION } } };

const CONFIGURED_GROUP_OPERATIONS: readonly Operation[] = [
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
