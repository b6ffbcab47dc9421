import { request } from 'undici';
import { checkPort } from '../../../../serve/cli/doctor/check-port.ts';
import { type Finding, ok } from '../../../../serve/cli/doctor/finding.ts';
import type { ServerConfig } from '../../config/spec.ts';

const WITHIN_MS = 3000;

/** Whether a gateway could listen there, or does already. */
export async function checkAddress({ host, port, tls }: ServerConfig): Promise<Finding> {
  const hostname = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  const origin = `${tls ? 'https' : 'http'}://${hostname}:${port}`;
  const finding = await checkPort(
    { hostname, port, shown: origin },
    'a gateway',
    'End what listens there, or choose another with --port.',
  );
  if (finding.state === 'problem' && (await isGateway(origin)))
    return ok('port', `a gateway answers at ${origin}`);
  return finding;
}

async function isGateway(origin: string): Promise<boolean> {
  try {
    const answer = await request(`${origin}/health/liveness`, { signal: AbortSignal.timeout(WITHIN_MS) });
    return (await answer.body.text()) === JSON.stringify("I'm alive!");
  } catch {
    return false;
  }
}
