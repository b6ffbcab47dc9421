import { createServer } from 'node:net';
import { messageOf } from '#contract/errors.ts';
import { bindHost } from '../../bind.ts';
import { type Finding, ok, problem } from './finding.ts';
import { errorCode } from '#core/values/error-code.ts';

export interface PortAddress {
  /** The host name as written in a URL. */
  readonly hostname: string;
  readonly port: number;
  /** The address as shown in messages. */
  readonly shown: string;
}

/** Checks whether `who`, for example `a gateway`, could listen on the port. */
export async function checkPort(
  { hostname, port, shown }: PortAddress,
  who: string,
  wayOut: string,
): Promise<Finding> {
  const server = createServer();
  const listening = Promise.withResolvers<void>();
  server.once('listening', listening.resolve).once('error', listening.reject);
  server.listen(port, bindHost(hostname));
  try {
    await listening.promise;
    return ok('port', `${shown} is available`);
  } catch (error) {
    const why = errorCode(error) ?? messageOf(error);
    return problem('port', `${who} cannot listen on ${shown} (${why})`, wayOut);
  } finally {
    server.close();
  }
}
