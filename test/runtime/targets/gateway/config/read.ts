import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '#contract/errors.ts';
import { parseInvocation } from '#serve/cli/parse.ts';
import { serveCommand } from '#gateway/commands/serve.ts';
import { readFlagsAndEnv } from '#gateway/config/flags-and-env.ts';
import { type LoadedGatewayConfig, readGatewayConfig } from '#gateway/config/read-config.ts';

interface Settings {
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
}

/** The configuration resolved from a file with variables and flags; `~` is `/home/ada`. */
export async function read(
  config: string | object,
  { env = {}, flags = [] }: Settings = {},
): Promise<LoadedGatewayConfig> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-config-'));
  try {
    const file = join(folder, 'g.yml');
    writeFileSync(file, typeof config === 'string' ? config : JSON.stringify(config), { mode: 0o600 });
    return await readWithEnv({ env, flags: ['-c', file, ...flags] });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Reads the configuration with these flags and variables; the flags name the file. */
export async function readWithEnv({ env = {}, flags = [] }: Settings): Promise<LoadedGatewayConfig> {
  const invocation = parseInvocation(serveCommand, flags, env);
  return await readGatewayConfig(readFlagsAndEnv(invocation, serveCommand.options, env), env);
}

/** Returns all problems of a file as `line:column  path: message`. */
export async function problems(config: string | object, settings: Settings = {}): Promise<string[]> {
  try {
    await read(config, settings);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'ConfigError') throw error;
    return error.message.split('\n').map((line) => line.replace(/^.*g\.yml:/, ''));
  }
  return [];
}
