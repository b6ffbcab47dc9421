import { AppError } from '#contract/errors.ts';
import { readText, type TextFileOnDisk } from '#platform/read-text.ts';
import { editSecrets } from '../../config-edit/config-editor.ts';
import { removeSecrets } from '../../config-edit/secrets-text.ts';
import { replaceServer, serverBlock } from '../../config-edit/server-block.ts';
import { removeServer } from '../../config-edit/servers-text.ts';
import { isJsonPath } from '../../config/config-file.ts';
import { describeServers, type ServerDescription } from '../../config/describe-servers.ts';
import { readServersText } from '../../config/read-servers-text.ts';
import { nameProblem, serverName } from '../../config/server-name.ts';
import type { ManagerContext } from '../../context.ts';
import type { ManagerFiles } from '../app-options.ts';
import { createServersChanger, explained, revisionOf } from '../change-servers.ts';
import { callerOfRequest } from '../env.ts';
import type { Route } from '#serve/http/route.ts';
import type { ManagerHttpParts } from '../parts.ts';
import {
  newServerRequest,
  serverTextRequest,
  configurationBody,
  editedBody,
  serverConfigurationBody,
} from '../schemas/configuration.ts';
import { compact } from '../views/compact.ts';
import { DRY_RUN, flagParameter, flagOf } from './flag-parameter.ts';
import { SERVER_NAME, ITEM_PAGE_PARAMETERS, searchParameter, pageOfItems, slicePage } from './operations.ts';
import { answerOf } from '#serve/http/openapi/describe.ts';

const SERVERS = '/api/v1/admin/configuration/servers';

const TEXT = '[[servers]]\nname = "time"\npackage = "uvx::mcp-server-time@2025.8.4"\ntools = ["*"]\n';
export const REVISION = '0f3a9c41b2d87e65';
export const REVISION_PARAMETER = {
  name: 'revision',
  in: 'query',
  description: 'Revision of the file on which the change is based.',
  example: REVISION,
} as const;
const EDITED = answerOf('The change.', editedBody, {
  diff: '--- .mcpd.toml\n+++ .mcpd.toml\n@@ -3,1 +3,2 @@\n tools = ["*"]\n+lazy = true\n',
  written: true,
  warnings: [],
  applied: { added: [], removed: [], restarted: [], updated: ['time'] },
});
export const EDITING =
  'The running manager applies the file; if it cannot, `problem` contains the reason, and the file remains as written.';

/** `/api/v1/admin/configuration`: the servers file. Administrators can read it, editors can change it. */
export function configurationRoutes(
  context: ManagerContext,
  { paths }: ManagerFiles,
  { guards, route }: ManagerHttpParts,
): readonly Route[] {
  const changer = createServersChanger(paths, context);
  /** Cached description of unchanged files: reading thousands of servers takes a tenth of a second. */
  let known: DescribedFiles | undefined;

  async function readDescriptions(): Promise<DescribedFiles> {
    const [file, secrets] = await Promise.all([readServersText(paths.config), readText(paths.runtime)]);
    const isKnown = known?.file.whole === file.whole && known.secrets?.whole === secrets?.whole;
    if (!known || !isKnown) known = { file, secrets, servers: describeServers(file, secrets, false) };
    return known;
  }

  return [
    route({
      method: 'get',
      path: '/api/v1/admin/configuration',
      guard: guards.admin('some'),
      id: 'getConfiguration',
      tag: 'Configuration',
      summary: 'List the servers in the configuration file.',
      parameters: [
        searchParameter('Words that the name or the program must contain.'),
        ...ITEM_PAGE_PARAMETERS,
      ],
      answer: answerOf('One page of servers, in file order.', configurationBody, {
        path: '/etc/mcp/.mcpd.toml',
        revision: REVISION,
        editable: true,
        servers: [
          {
            name: 'time',
            start: 'uvx::mcp-server-time@2025.8.4',
            enabled: true,
            readOnly: false,
            lazy: false,
          },
        ],
        total: 1,
      }),
      errors: [422],
      run: async (c) => {
        const caller = callerOfRequest(c);
        const words = (c.req.query('q') ?? '').toLowerCase().split(/\s+/).filter(Boolean);
        const { file, servers } = await explained(readDescriptions);
        const found = servers.filter(
          ({ name, start }) =>
            caller.canUse(name) && words.every((word) => `${name} ${start}`.toLowerCase().includes(word)),
        );
        const { items, total, nextCursor } = slicePage(found, pageOfItems(c));
        return {
          path: paths.config,
          revision: revisionOf(file.whole),
          editable: !isJsonPath(paths.config),
          servers: items.map(({ name, start, enabled, ...more }) => ({
            name,
            start,
            enabled,
            readOnly: more['readOnly'] === true,
            lazy: more['lazy'] === true,
          })),
          total,
          ...compact({ nextCursor }),
        };
      },
    }),
    route({
      method: 'post',
      path: SERVERS,
      guard: guards.editor('all'),
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
      run: async (c, body) => {
        const { name: written, settings, secrets } = body;
        const problem = nameProblem(written);
        if (problem !== undefined) throw new AppError('InputError', problem);
        const { name: _name, ...table } = settings;
        if (containsNull(table))
          throw new AppError('InputError', 'settings contains null, which TOML does not support. Remove it.');
        const added = { name: serverName(written), table, secrets: secrets ?? {} };
        return await changer.add(added, flagOf(c, 'dry_run'));
      },
    }),
    route({
      method: 'get',
      path: `${SERVERS}/:name`,
      guard: guards.editor('named'),
      id: 'getServerConfiguration',
      tag: 'Configuration',
      summary: 'Get a server’s configuration as written in the file.',
      description: 'The file can contain secrets.',
      parameters: [SERVER_NAME],
      answer: answerOf('The configuration.', serverConfigurationBody, {
        name: 'time',
        path: '/etc/mcp/.mcpd.toml',
        revision: REVISION,
        text: TEXT,
      }),
      errors: [404, 422],
      run: async (c) => {
        const name = serverName(c.req.param('name'));
        if (isJsonPath(paths.config)) throw notEditable(paths.config);
        const { whole } = await explained(() => readServersText(paths.config));
        const text = await found(() => serverBlock(whole, name));
        return { name, path: paths.config, revision: revisionOf(whole), text };
      },
    }),
    route({
      method: 'put',
      path: `${SERVERS}/:name`,
      guard: guards.editor('all'),
      id: 'replaceServer',
      tag: 'Configuration',
      summary: 'Change a server’s configuration in the file.',
      description: EDITING,
      parameters: [SERVER_NAME, DRY_RUN],
      request: { schema: serverTextRequest, examples: { text: { text: TEXT, revision: REVISION } } },
      answer: EDITED,
      errors: [409],
      run: async (c, body) => {
        const { text, revision } = body;
        const edited = await changer.change({
          edit: (file) => replaceServer(file, c.req.param('name'), text),
          revision,
          isDryRun: flagOf(c, 'dry_run'),
        });
        return edited;
      },
    }),
    route({
      method: 'delete',
      path: `${SERVERS}/:name`,
      guard: guards.editor('all'),
      id: 'removeServer',
      tag: 'Configuration',
      summary: 'Remove a server from the configuration file.',
      description: EDITING,
      parameters: [
        SERVER_NAME,
        DRY_RUN,
        flagParameter('with_secrets', 'Whether to also remove the server’s values from the secrets file.'),
        REVISION_PARAMETER,
      ],
      answer: EDITED,
      errors: [409, 422],
      run: async (c) => {
        const name = c.req.param('name');
        const isDryRun = flagOf(c, 'dry_run');
        const edited = await changer.change({
          edit: (file) => removeServer(file, name),
          revision: c.req.query('revision') || undefined,
          isDryRun,
        });
        if (edited.written && flagOf(c, 'with_secrets'))
          await editSecrets(paths, (text) => removeSecrets(text, name));
        return edited;
      },
    }),
  ];
}

interface DescribedFiles {
  readonly file: TextFileOnDisk;
  readonly secrets: TextFileOnDisk | undefined;
  readonly servers: readonly ServerDescription[];
}

const containsNull = (value: unknown): boolean =>
  value === null || (typeof value === 'object' && Object.values(value).some(containsNull));

/** In a request for a server or a group, only the name can be invalid. */
export async function found<Result>(work: () => Result): Promise<Result> {
  try {
    return await explained(() => Promise.resolve(work()));
  } catch (error) {
    throw new AppError('NotFoundError', AppError.from(error).message, { cause: error });
  }
}

export const notEditable = (path: string): AppError =>
  new AppError(
    'InputError',
    `Cannot edit ${path} over HTTP, because it is not a TOML file. Edit the file by hand.`,
  );
