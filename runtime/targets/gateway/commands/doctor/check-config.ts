import { messageOf } from '#contract/errors.ts';
import type { Environment } from '#core/text/expand.ts';
import { type Invocation, UsageError } from '#serve/cli/command.ts';
import { type Finding, ok, problemFinding } from '#serve/cli/doctor/finding.ts';
import { readFlagsAndEnv } from '../../config/flags-and-env.ts';
import { GATEWAY_OPTIONS } from '../../config/options.ts';
import { type LoadedGatewayConfig, readGatewayConfig, STORE_SETTINGS } from '../../config/read-config.ts';
import type { DatabaseLocation } from '../../store/database-url.ts';

export interface CheckedConfig {
  /** Undefined if the gateway would not start with this configuration. */
  readonly config: LoadedGatewayConfig | undefined;
  /** The database settings can be valid even if other settings are not. */
  readonly database: DatabaseLocation | undefined;
  readonly findings: readonly Finding[];
}

/** Reads flags, variables and the file in the same way as `serve`, so that it finds the same problems. */
export async function checkConfig(invocation: Invocation, env: Environment): Promise<CheckedConfig> {
  const flagsAndEnv = readFlagsAndEnv(invocation, GATEWAY_OPTIONS, env);
  try {
    const config = await readGatewayConfig(flagsAndEnv, env);
    const warnings = config.warnings.map((warning) => problemFinding(SUBJECT, warning));
    return { config, database: config.database, findings: [ok(SUBJECT, describe(config)), ...warnings] };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const database = await readGatewayConfig(flagsAndEnv, env, { only: STORE_SETTINGS }).then(
      (config) => config.database,
      () => undefined,
    );
    return { config: undefined, database, findings: [problemFinding(SUBJECT, messageOf(error))] };
  }
}

const SUBJECT = 'configuration';

function describe({ models: { providers, aliases }, file }: LoadedGatewayConfig): string {
  const names = providers.map(({ name }) => name).join(', ') || 'none';
  const more = aliases.length === 0 ? '' : `; aliases: ${aliases.map(({ name }) => name).join(', ')}`;
  return file === undefined
    ? `no file; providers from the environment: ${names}`
    : `${file}; providers: ${names}${more}`;
}
