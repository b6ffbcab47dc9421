import { AppError, messageOf } from '#contract/errors.ts';
import { checkPort } from '#serve/cli/doctor/check-port.ts';
import { apiPath, type ManagerClient } from '../manager-client.ts';
import { changedToolsText, type ManagerStatus, type ServerState } from '../manager-status.ts';
import { type Finding, note, ok, problem } from '#serve/cli/doctor/finding.ts';

/** Checks that the manager responds, and the health of its servers. */
export async function checkManager(manager: ManagerClient, address: URL): Promise<Finding[]> {
  try {
    const before = await statusOf(manager);
    await listAll(manager, before);
    const status = await statusOf(manager);
    return [
      ok('manager', `version ${status.version} is running at ${manager.origin}`),
      ...status.servers.flatMap((server) => [
        checkServer(server),
        ...listFaults(server),
        ...checkPins(server),
      ]),
    ];
  } catch (error) {
    const isDown = error instanceof AppError && error.code === 'UnavailableError';
    return [problem('manager', messageOf(error)), ...(isDown ? [await checkAddress(address)] : [])];
  }
}

const statusOf = async (manager: ManagerClient): Promise<ManagerStatus> =>
  (await manager.get(apiPath('admin', 'status'))) as ManagerStatus;

const LISTS = [['tools'], ['prompts'], ['resources'], ['resources', 'templates']] as const;

/** Requests all lists, because the manager finds malformed items only then. Servers that do not run are not started. */
async function listAll(manager: ManagerClient, { servers }: ManagerStatus): Promise<void> {
  const running = servers.filter(({ phase }) => phase === 'running');
  const paths = running.flatMap(({ name }) => LISTS.map((list) => apiPath('servers', name, ...list)));
  await Promise.allSettled(paths.map((path) => manager.get(path)));
}

const listFaults = ({ name, warnings = [] }: ServerState): Finding[] =>
  warnings.map((warning) =>
    problem(`server ${name}`, warning, 'Report it to the author of the server. Clients cannot use the item.'),
  );

function checkPins({ name, changedTools = [] }: ServerState): Finding[] {
  if (changedTools.length === 0) return [];
  const remedy = `Review them with \`mcp-manager pin --diff ${name}\`, then accept them with \`mcp-manager pin ${name}\`.`;
  return [problem(`server ${name}`, changedToolsText(changedTools), remedy)];
}

function checkServer({ name, status, phase, reason, reasonLines = [] }: ServerState): Finding {
  const what = `server ${name}`;
  const why = reason === undefined || reason === '' ? '' : `: ${reason}`;
  if (phase === 'idle') return note(what, 'is idle and starts on the next call');
  if (phase === 'installing') return note(what, `is not running yet${why}`);
  if (status === 'ok') return ok(what, 'is healthy');
  if (phase === 'running' && status === 'unknown') return note(what, 'is running; health not checked yet');
  return problem(
    what,
    [`is ${status} (${phase})${why}`, ...quoted(reason, reasonLines)].join('\n'),
    `See \`mcp-manager logs ${name}\`. To restart it: \`mcp-manager restart ${name}\`.`,
  );
}

/** The lines around the reason; none if they only repeat it. */
const quoted = (reason = '', lines: readonly string[]): string[] =>
  lines.some((line) => !reason.includes(line.trim())) ? lines.map((line) => `    ${line}`) : [];

const checkAddress = async ({ hostname, port, origin }: URL): Promise<Finding> =>
  await checkPort(
    { hostname, port: Number(port) || 80, shown: origin },
    'a manager',
    'Choose another with --port.',
  );
