import { messageOf } from '../../../../contract/errors.ts';
import type { Environment } from '../../../../core/text/expand.ts';
import { type Invocation, UsageError } from '../../../../serve/cli/command.ts';
import { type Finding, ok, problem } from '../../../../serve/cli/doctor/finding.ts';
import { givenBy } from '../../config/given.ts';
import { GATEWAY_OPTIONS } from '../../config/options.ts';
import { type LoadedGatewayConfig, readGatewayConfig, STORE_SETTINGS } from '../../config/read-config.ts';
import type { DatabasePlace } from '../../store/database-url.ts';

export interface CheckedConfig {
  /** Undefined if the gateway would not start with it. */
  readonly config: LoadedGatewayConfig | undefined;
  /** May be known although the rest is wrong. */
  readonly database: DatabasePlace | undefined;
  readonly findings: readonly Finding[];
}

/** Flags, variables and the file, as `serve` would read them. */
export async function checkConfig(invocation: Invocation, env: Environment): Promise<CheckedConfig> {
  const given = givenBy(invocation, GATEWAY_OPTIONS, env);
  try {
    const config = await readGatewayConfig(given, env);
    const warnings = config.warnings.map((warning) => problem(WHAT, warning));
    return { config, database: config.database, findings: [ok(WHAT, describe(config)), ...warnings] };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const database = await readGatewayConfig(given, env, { only: STORE_SETTINGS }).then(
      (config) => config.database,
      () => undefined,
    );
    return { config: undefined, database, findings: [problem(WHAT, messageOf(error))] };
  }
}

const WHAT = 'configuration';

function describe({ models: { providers, aliases }, file }: LoadedGatewayConfig): string {
  const names = providers.map(({ name }) => name).join(', ') || 'none';
  const more = aliases.length === 0 ? '' : `; aliases: ${aliases.map(({ name }) => name).join(', ')}`;
  return file === undefined
    ? `no file; providers from the environment: ${names}`
    : `${file}; providers: ${names}${more}`;
}
