import { request } from 'undici';
import { checkPort, type Finding, ok } from '#serve/cli/doctor/finding.ts';
import type { ServerConfig } from '../../config/spec.ts';

const TIMEOUT_MS = 3000;

/** Checks that the address is free, or that a gateway already listens on it. */
export async function checkAddress({ host, port, tls }: ServerConfig): Promise<Finding> {
  const hostname = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  const origin = `${tls ? 'https' : 'http'}://${hostname}:${port}`;
  const finding = await checkPort(
    { hostname, port, shown: origin },
    'a gateway',
    'Stop the program that listens on it, or choose another port with --port.',
  );
  if (finding.state === 'problem' && (await isGateway(origin)))
    return ok('port', `a gateway is running at ${origin}`);
  return finding;
}

async function isGateway(origin: string): Promise<boolean> {
  try {
    const answer = await request(`${origin}/health/liveness`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return (await answer.body.text()) === JSON.stringify("I'm alive!");
  } catch {
    return false;
  }
}
