import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach } from 'vitest';
import { sha256 } from '#platform/sha256.ts';
import { rayLauncher } from '#gateway/evaluation/jobs/compute/ray-launcher.ts';
import { type FileGateway, type ServedFile, startFileGateway } from './file-gateway.ts';

/** A program that prints its arguments and files, and exits once the file named by the variable `END` exists. */
const PROGRAM = Buffer.from(
  `#!/bin/sh
echo "$# $1 $2 $GATEWAY_JOB_FILES"
[ -z "\${GATEWAY_JOB_LAUNCHER}\${GATEWAY_JOB_CACHE_BYTES}" ] || echo leaked
while [ -n "$END" ] && [ ! -e "$END" ]; do sleep 0.02; done
`,
);
export const gatewayFile: ServedFile = { role: 'program', name: 'gateway', bytes: PROGRAM };

export const encoder = (
  name: string,
  bytes = randomBytes(200_000),
  more: Partial<ServedFile> = {},
): ServedFile => ({ role: 'encoder', name, bytes, ...more });

interface LaunchOptions {
  readonly cacheBytes?: number;
  readonly command?: string;
  readonly token?: string;
  /** The file whose creation ends the program. */
  readonly end?: string;
}

/** A node with an empty cache in its own folder, which is removed after the test together with the gateways. */
export function useNode() {
  let folder = '';
  const gateways: FileGateway[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'encoderfile-test-'));
  });
  afterEach(async () => {
    for (const gateway of gateways.splice(0)) await gateway.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const cache = (): string => join(folder, 'cache');
  const executables = (): string => join(cache(), 'executables');
  /** The command that Ray runs, and the environment of its node. */
  const launch = (
    gatewayUrl: string,
    { token = 'the-token', command, cacheBytes = 1e9, end = '' }: LaunchOptions = {},
  ) => {
    const { entrypoint, env } = rayLauncher({ gatewayUrl, token }, { command, cacheBytes });
    const own = { PATH: process.env['PATH'] ?? '', ENCODERFILE_CACHE_DIR: cache(), END: end };
    return { entrypoint, env: { ...env, ...own } };
  };
  return {
    path: (name: string): string => join(folder, name),
    cache,
    executables,
    cached: ({ bytes }: ServedFile): string => join(executables(), sha256(bytes)),
    async serve(...files: ServedFile[]): Promise<FileGateway> {
      const gateway = await startFileGateway(files);
      gateways.push(gateway);
      return gateway;
    },
    launch,
    /** Runs a worker as Ray does. */
    start: (url: string, options: LaunchOptions = {}) => {
      const { entrypoint, env } = launch(url, options);
      return execa('sh', ['-c', entrypoint], { env, extendEnv: false, reject: false, all: true });
    },
  };
}
