import { AppError, messageOf } from '../../../../contract/errors.ts';
import { checkPort } from '../../../../serve/cli/doctor/check-port.ts';
import { apiPath, type ManagerClient } from '../manager-client.ts';
import type { ManagerStatus, ServerState } from '../manager-status.ts';
import { type Finding, note, ok, problem } from '../../../../serve/cli/doctor/finding.ts';

/** Whether the manager answers, and what it says of its servers. */
export async function checkManager(manager: ManagerClient, address: URL): Promise<Finding[]> {
  try {
    const before = await statusOf(manager);
    await listAll(manager, before);
    const status = await statusOf(manager);
    return [
      ok('manager', `${status.version} answers at ${manager.origin}`),
      ...status.servers.flatMap((server) => [checkServer(server), ...listFaults(server)]),
    ];
  } catch (error) {
    const away = error instanceof AppError && error.code === 'UnavailableError';
    return [problem('manager', messageOf(error)), ...(away ? [await checkAddress(address)] : [])];
  }
}

const statusOf = async (manager: ManagerClient): Promise<ManagerStatus> =>
  (await manager.get(apiPath('admin', 'status'))) as ManagerStatus;

const LISTS = [['tools'], ['prompts'], ['resources'], ['resources', 'templates']] as const;

/** The manager finds malformed items when it lists them; a server that is not running is not started for that. */
async function listAll(manager: ManagerClient, { servers }: ManagerStatus): Promise<void> {
  const running = servers.filter(({ phase }) => phase === 'running');
  const paths = running.flatMap(({ name }) => LISTS.map((list) => apiPath('servers', name, ...list)));
  await Promise.allSettled(paths.map((path) => manager.get(path)));
}

const listFaults = ({ name, warnings = [] }: ServerState): Finding[] =>
  warnings.map((warning) =>
    problem(
      `server ${name}`,
      warning,
      'Report it to the author of the server; clients cannot use it as it is.',
    ),
  );

function checkServer({ name, status, phase, reason }: ServerState): Finding {
  const what = `server ${name}`;
  const why = reason === undefined || reason === '' ? '' : `: ${reason}`;
  if (phase === 'idle') return note(what, 'is started when it is needed');
  if (status === 'ok') return ok(what, 'is healthy');
  if (phase === 'running' && status === 'unknown') return note(what, 'runs, and was not checked yet');
  return problem(
    what,
    `is ${status} (${phase})${why}`,
    `See \`mcp-manager logs ${name}\`; \`mcp-manager restart ${name}\` starts it anew.`,
  );
}

const checkAddress = async ({ hostname, port, origin }: URL): Promise<Finding> =>
  await checkPort(
    { hostname, port: Number(port) || 80, shown: origin },
    'a manager',
    'Choose another with --port.',
  );
