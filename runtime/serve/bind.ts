import type { Server } from 'node:net';
import { bindHost } from './hostname.ts';
import { explainListenError, type ListenTarget } from './listen-error.ts';

/** Makes a server listen; resolves with its port, which differs from the requested port if that was 0. */
export async function bind(server: Server, target: ListenTarget): Promise<number> {
  const host = bindHost(target.hostname);
  try {
    return await listen(server, host, target.port).catch(async (error: unknown) => {
      // On a machine without IPv6, "all addresses" means all IPv4 addresses.
      const withoutIpv6 = host === '::' && /EAFNOSUPPORT|EADDRNOTAVAIL/.test(String(error));
      if (!withoutIpv6) throw error;
      return await listen(server, '0.0.0.0', target.port);
    });
  } catch (error) {
    throw explainListenError(error, target);
  }
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
}
