import { configError } from '../../../contract/errors.ts';
import { isLoopbackHost } from '../../../serve/http/host-rules.ts';

/** Throws a ConfigError if others than this machine could reach the server without a key, and nobody said that they may. */
export function mayListen(hostname: string, hasKeys: boolean, insecure: boolean): void {
  if (hasKeys || insecure || isLoopbackHost(hostname)) return;
  throw configError(
    `Listening on ${hostname} would let anyone who can reach it call every tool, for there is no API key. Make one with ` +
      '`mcp-manager keys create --name <name>`, listen on 127.0.0.1, or accept the risk with --insecure.',
  );
}
