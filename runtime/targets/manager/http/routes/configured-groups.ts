import { AppError } from '#contract/errors.ts';
import { addGroup, readGroup, removeGroup, replaceGroup } from '../../config-edit/groups-text.ts';
import { isJsonPath } from '../../config/config-file.ts';
import type { GroupSpec } from '../../config/group-spec.ts';
import { readServersText } from '../../config/read-servers-text.ts';
import { nameProblem } from '../../config/server-name.ts';
import type { ManagerContext } from '../../context.ts';
import type { ManagerFiles } from '../app-options.ts';
import { createServersChanger, explained, revisionOf } from '../change-servers.ts';

import type { Route } from '#serve/http/route.ts';
import type { ManagerHttpParts } from '../parts.ts';
import { groupRequest, groupConfigurationBody } from '../schemas/groups.ts';
import { EDITING, found, notEditable, REVISION, REVISION_PARAMETER } from './configuration.ts';
import { flagOf, DRY_RUN } from './flag-parameter.ts';
import { answerOf } from '#serve/http/openapi/describe.ts';
import { editedBody } from '../schemas/configuration.ts';

const GROUPS = '/api/v1/admin/configuration/groups';

/** `/api/v1/admin/configuration/groups`: the groups in the servers file. */
export function configuredGroupRoutes(
  context: ManagerContext,
  { paths }: ManagerFiles,
  { guards, route }: ManagerHttpParts,
): readonly Route[] {
  const changer = createServersChanger(paths, context);
  return [
    route({
      method: 'post',
      path: GROUPS,
      guard: guards.editor('all'),
      id: 'addGroup',
      tag: 'Configuration',
      summary: 'Add a group to the configuration file.',
      description: EDITING,
      parameters: [DRY_RUN],
      request: REQUEST,
      answer: EDITED,
      errors: [409],
      run: async (c, body) => {
        const { revision, ...group } = body;
        const added = groupIn(group);
        const isDryRun = flagOf(c, 'dry_run');
        const edited = await changer.change({ edit: (file) => addGroup(file, added), revision, isDryRun });
        return edited;
      },
    }),
    route({
      method: 'get',
      path: `${GROUPS}/:name`,
      guard: guards.admin('all'),
      id: 'getGroupConfiguration',
      tag: 'Configuration',
      summary: 'Get a group as written in the file.',
      parameters: [NAME],
      answer: answerOf('The group.', groupConfigurationBody, {
        ...RESEARCH,
        prompts: [],
        resources: [],
        path: '/etc/mcp/.mcpd.toml',
        revision: REVISION,
      }),
      errors: [404, 422],
      run: async (c) => {
        if (isJsonPath(paths.config)) throw notEditable(paths.config);
        const { whole } = await explained(() => readServersText(paths.config));
        const group = await found(() => readGroup(whole, c.req.param('name')));
        return {
          ...group,
          path: paths.config,
          revision: revisionOf(whole),
        };
      },
    }),
    route({
      method: 'put',
      path: `${GROUPS}/:name`,
      guard: guards.editor('all'),
      id: 'replaceGroup',
      tag: 'Configuration',
      summary: 'Replace a group’s name and patterns in the file.',
      description: `Omitted lists become empty. ${EDITING}`,
      parameters: [NAME, DRY_RUN],
      request: REQUEST,
      answer: EDITED,
      errors: [409],
      run: async (c, body) => {
        const { revision, ...group } = body;
        const changed = groupIn(group);
        const edited = await changer.change({
          edit: (file) => replaceGroup(file, c.req.param('name'), changed),
          revision,
          isDryRun: flagOf(c, 'dry_run'),
        });
        return edited;
      },
    }),
    route({
      method: 'delete',
      path: `${GROUPS}/:name`,
      guard: guards.editor('all'),
      id: 'removeGroup',
      tag: 'Configuration',
      summary: 'Remove a group from the configuration file.',
      description: `Keys that are limited to this group then have no access. ${EDITING}`,
      parameters: [NAME, DRY_RUN, REVISION_PARAMETER],
      answer: EDITED,
      errors: [409, 422],
      run: async (c) => {
        const edited = await changer.change({
          edit: (file) => removeGroup(file, c.req.param('name')),
          revision: c.req.query('revision') || undefined,
          isDryRun: flagOf(c, 'dry_run'),
        });
        return edited;
      },
    }),
  ];
}

/**
 * The group in a request. Throws an InputError if its name is invalid; its patterns are checked together with
 * the file.
 */
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
