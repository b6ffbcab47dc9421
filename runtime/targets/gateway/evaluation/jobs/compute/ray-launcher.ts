import { readDataAsset } from '#platform/data-asset.ts';
import type { RayConfig } from '../../../config/spec.ts';
import { JOB_TOKEN_VARIABLE, JOB_URL_VARIABLE, type Assignment } from './compute.ts';

const SCRIPT = 'start-worker.py';
/** The script that starts a worker. It is passed in a variable, so that nodes need no file. */
const SCRIPT_VARIABLE = 'GATEWAY_JOB_LAUNCHER';
const COMMAND_VARIABLE = 'GATEWAY_JOB_COMMAND';
const CACHE_BYTES_VARIABLE = 'GATEWAY_JOB_CACHE_BYTES';

/**
 * Runs the script with a Python interpreter on the node. If PATH contains none, uses the one that runs Ray,
 * which is the parent process.
 */
const ENTRYPOINT = `exec "$(command -v python3 || command -v python || readlink /proc/$PPID/exe)" -c "$${SCRIPT_VARIABLE}"`;

let script: string | undefined;

/** The shell command and environment for a worker on a Ray cluster node. */
export function rayLauncher(
  { gatewayUrl, token }: Pick<Assignment, 'gatewayUrl' | 'token'>,
  { command, cacheBytes }: Pick<RayConfig, 'command' | 'cacheBytes'>,
): { readonly entrypoint: string; readonly env: Readonly<Record<string, string>> } {
  script ??= readDataAsset(SCRIPT, new URL(SCRIPT, import.meta.url)).toString();
  return {
    entrypoint: ENTRYPOINT,
    env: {
      [JOB_URL_VARIABLE]: gatewayUrl,
      [JOB_TOKEN_VARIABLE]: token,
      [SCRIPT_VARIABLE]: script,
      [CACHE_BYTES_VARIABLE]: String(cacheBytes),
      ...(command !== undefined && { [COMMAND_VARIABLE]: command }),
    },
  };
}
