import { AppError } from '#contract/errors.ts';
import { admit } from '#serve/lifecycle.ts';
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
import { requireAdmin, requireEditor } from '../env.ts';
import { type HttpParts, type ManagerRoutes, newRoutes } from '../parts.ts';
import { newServerRequest, serverTextRequest } from '../schemas/configuration.ts';
import { compact } from '../views/compact.ts';
import { ADD, CONFIGURATION, READ, REMOVE, REPLACE } from './configuration-operations.ts';
import { flagOf } from './flag-parameter.ts';
import { pageOf, slicePage } from './paging.ts';

const SERVERS = '/api/v1/admin/configuration/servers';

/** `/api/v1/admin/configuration`: the servers file, which is read by administrators and changed by editors. */
export function configurationRoutes(
  context: ManagerContext,
  { paths }: ManagerFiles,
  { answer, readBody }: HttpParts,
): ManagerRoutes {
  const { lifecycle } = context.kernel;
  const changer = createServersChanger(paths, context);
  const routes = newRoutes();
  /** The description of files that have not changed: reading thousands of servers takes a tenth of a second. */
  let known: DescribedFiles | undefined;

  async function readDescriptions(): Promise<DescribedFiles> {
    const [file, secrets] = await Promise.all([readServersText(paths.config), readText(paths.runtime)]);
    const isKnown = known?.file.whole === file.whole && known.secrets?.whole === secrets?.whole;
    if (!known || !isKnown) known = { file, secrets, servers: describeServers(file, secrets, false) };
    return known;
  }

  routes.get('/api/v1/admin/configuration', async (c) => {
    const caller = requireAdmin(c, 'some');
    const words = (c.req.query('q') ?? '').toLowerCase().split(/\s+/).filter(Boolean);
    const { file, servers } = await explained(readDescriptions);
    const found = servers.filter(
      ({ name, start }) =>
        caller.canUse(name) && words.every((word) => `${name} ${start}`.toLowerCase().includes(word)),
    );
    const { items, total, nextCursor } = slicePage(found, pageOf(c));
    return answer(c, 'Configuration', {
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
    });
  });
  routes.post(SERVERS, admit(lifecycle), async (c) => {
    requireEditor(c, 'all');
    const { name: written, settings, secrets } = await readBody(c, newServerRequest);
    const problem = nameProblem(written);
    if (problem !== undefined) throw new AppError('InputError', problem);
    const { name: _name, ...table } = settings;
    if (containsNull(table))
      throw new AppError('InputError', 'settings contains null, which TOML does not have. Remove it.');
    const added = { name: serverName(written), table, secrets: secrets ?? {} };
    return answer(c, 'EditedConfiguration', await changer.add(added, flagOf(c, 'dry_run')));
  });
  routes.get(`${SERVERS}/:name`, async (c) => {
    requireEditor(c, { server: c.req.param('name') });
    const name = serverName(c.req.param('name'));
    if (isJsonPath(paths.config)) throw notEditable(paths.config);
    const { whole } = await explained(() => readServersText(paths.config));
    const text = await found(() => serverBlock(whole, name));
    return answer(c, 'ServerConfiguration', { name, path: paths.config, revision: revisionOf(whole), text });
  });
  routes.put(`${SERVERS}/:name`, admit(lifecycle), async (c) => {
    requireEditor(c, 'all');
    const { text, revision } = await readBody(c, serverTextRequest);
    const edited = await changer.change({
      edit: (file) => replaceServer(file, c.req.param('name'), text),
      revision,
      isDryRun: flagOf(c, 'dry_run'),
    });
    return answer(c, 'EditedConfiguration', edited);
  });
  routes.delete(`${SERVERS}/:name`, admit(lifecycle), async (c) => {
    requireEditor(c, 'all');
    const name = c.req.param('name');
    const isDryRun = flagOf(c, 'dry_run');
    const edited = await changer.change({
      edit: (file) => removeServer(file, name),
      revision: c.req.query('revision') || undefined,
      isDryRun,
    });
    if (edited.written && flagOf(c, 'with_secrets'))
      await editSecrets(paths, (text) => removeSecrets(text, name));
    return answer(c, 'EditedConfiguration', edited);
  });

  return { routes, operations: [CONFIGURATION, ADD, READ, REPLACE, REMOVE] };
}

interface DescribedFiles {
  readonly file: TextFileOnDisk;
  readonly secrets: TextFileOnDisk | undefined;
  readonly servers: readonly ServerDescription[];
}

const containsNull = (value: unknown): boolean =>
  value === null || (typeof value === 'object' && Object.values(value).some(containsNull));

/** The only mistake in a request for a server or a group is its name. */
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
    `Cannot edit ${path} over HTTP: only TOML files are edited. Edit the file by hand.`,
  );
