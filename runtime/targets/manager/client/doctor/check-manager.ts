import { AppError, messageOf } from '../../../../contract/errors.ts';
import { checkPort } from '../../../../serve/cli/doctor/check-port.ts';
import { apiPath, type ManagerClient } from '../manager-client.ts';
import type { ManagerStatus } from '../manager-status.ts';
import { type Finding, note, ok, problem } from '../../../../serve/cli/doctor/finding.ts';

/** Whether the manager answers, and what it says of its servers. */
export async function checkManager(manager: ManagerClient, address: URL): Promise<Finding[]> {
  try {
    const status = (await manager.get(apiPath('admin', 'status'))) as ManagerStatus;
    return [
      ok('manager', `${status.version} answers at ${manager.origin}`),
      ...status.servers.map(checkServer),
    ];
  } catch (error) {
    const away = error instanceof AppError && error.code === 'UnavailableError';
    return [problem('manager', messageOf(error)), ...(away ? [await checkAddress(address)] : [])];
  }
}

function checkServer({ name, status, phase, reason }: ManagerStatus['servers'][number]): Finding {
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
    'Choose another with --addr.',
  );
