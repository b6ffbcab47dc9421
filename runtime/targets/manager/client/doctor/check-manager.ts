import { createServer } from 'node:net';
import { AppError, messageOf } from '../../../../contract/errors.ts';
import { bindHost } from '../../../../serve/hostname.ts';
import { apiPath, type ManagerClient } from '../manager-client.ts';
import type { ManagerStatus } from '../manager-status.ts';
import { type Finding, note, ok, problem } from './finding.ts';

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
    return [problem('manager', messageOf(error)), ...(away ? [await checkPort(address)] : [])];
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

/** Whether a manager could listen there. */
async function checkPort({ hostname, port, origin }: URL): Promise<Finding> {
  const server = createServer();
  const listening = Promise.withResolvers<void>();
  server.once('listening', listening.resolve).once('error', listening.reject);
  server.listen(Number(port) || 80, bindHost(hostname));
  try {
    await listening.promise;
    return ok('port', `${origin} is free`);
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? messageOf(error);
    return problem('port', `a manager cannot listen at ${origin} (${why})`, 'Choose another with --addr.');
  } finally {
    server.close();
  }
}
