import { isObject } from '#core/json/is-object.ts';
import { METRICS_ACCESS, type MetricsAccess } from '#core/cli/common-flags.ts';
import { DEFAULTS } from './defaults.ts';
import { audit } from './schemas/audit.ts';
import { accounts, type GatewayFile } from './schemas/file.ts';
import type { GatewayConfig } from './spec.ts';
import type { ResolveContext } from './resolve/context.ts';
import { resolveDatabase } from './resolve/database.ts';
import { resolveMasterKey } from './resolve/master-key.ts';
import { resolveAlerts } from './resolve/alerts.ts';
import type { KnownNames } from './resolve/model-names.ts';
import { resolveModels } from './resolve/models.ts';
import { ENCODER } from './resolve/provider.ts';
import { feedback } from './schemas/feedback.ts';
import { resolvePromptRetention } from './resolve/prompt-log.ts';
import { retentionIn } from './resolve/retention.ts';
import { resolveServer } from './resolve/server.ts';
import { resolveSignIn } from './resolve/sign-in.ts';
import { resolveTracing } from './resolve/tracing.ts';
import { resolveWorkflows } from './resolve/workflows.ts';
import { resolveWorkloads } from './resolve/workloads.ts';
import { LOG_LEVELS } from '#serve/log-levels.ts';

const RATE = { min: 1, max: 1_000_000_000 };

/** Merges flags, variables, the file and defaults. `written` is the file including its invalid values. */
export function resolveConfig(
  context: ResolveContext,
  file: GatewayFile,
  written: unknown,
): Omit<GatewayConfig, 'secrets'> {
  const { flagsAndEnv, report } = context;
  if (file.rate_limit_rpm !== undefined && file.user_limits?.rpm !== undefined)
    report(['rate_limit_rpm'], 'conflicts with `user_limits.rpm`; keep one of them', 'key');
  const { rpm, tpm, max_parallel: parallel } = file.user_limits ?? {};
  const level = flagsAndEnv.text('log-level');
  return {
    server: resolveServer(context, file),
    database: resolveDatabase(context, file),
    autoMigrate: flagsAndEnv.flag('auto-migrate') ?? file.auto_migrate ?? DEFAULTS.autoMigrate,
    masterKey: resolveMasterKey(context, file),
    bootstrapKey:
      flagsAndEnv.flag('bootstrap-api-key') ?? file.bootstrap_api_key ?? accounts.bootstrap_api_key.default,
    signIn: resolveSignIn(context, file),
    workloads: resolveWorkloads(context, file),
    userLimits: {
      rpm: flagsAndEnv.number('rate-limit-rpm', RATE) ?? file.rate_limit_rpm ?? rpm ?? null,
      tpm: flagsAndEnv.number('rate-limit-tpm', RATE) ?? tpm ?? null,
      maxParallel: flagsAndEnv.number('rate-limit-parallel', RATE) ?? parallel ?? null,
    },
    models: resolveModels(context, file, namesIn(written)),
    alerts: resolveAlerts(context, file.alerts),
    metrics: resolveMetrics(flagsAndEnv, file),
    tracing: resolveTracing(context, file),
    workflows: resolveWorkflows(context, file),
    audit: {
      retentionMs: retentionIn(
        context,
        ['audit', 'retention'],
        file.audit?.retention ?? audit.properties.retention.default,
      ),
    },
    promptLog: { retentionMs: resolvePromptRetention(context, file) },
    feedback: { isEnabled: file.feedback?.enabled ?? feedback.properties.enabled.default },
    logLevel: LOG_LEVELS.find((known) => known === level) ?? file.log_level ?? DEFAULTS.logLevel,
  };
}

/** `enable_metrics` is Otari's spelling. */
function resolveMetrics(flagsAndEnv: ResolveContext['flagsAndEnv'], file: GatewayFile): MetricsAccess {
  const asked = flagsAndEnv.text('metrics');
  const { enable_metrics: isEnabled } = file;
  const ofOtari = isEnabled === undefined ? undefined : isEnabled ? 'open' : 'off';
  return METRICS_ACCESS.find((access) => access === asked) ?? file.metrics ?? ofOtari ?? DEFAULTS.metrics;
}

/**
 * Collects all names, including those of invalid entries, so that a mistake in an entry is not reported again
 * where the entry is used.
 */
function namesIn(written: unknown): KnownNames {
  const { providers, encoders, guardrails }: Readonly<Record<string, unknown>> = isObject(written)
    ? written
    : {};
  const membersOf = (value: unknown): (readonly [string, unknown])[] =>
    isObject(value) ? Object.entries(value) : [];
  const isEncoder = ([, entry]: readonly [string, unknown]): boolean =>
    isObject(entry) && (entry['type'] ?? entry['provider_type']) === ENCODER;
  const named = (members: readonly (readonly [string, unknown])[]): string[] =>
    members.map(([name]) => name.toLowerCase());
  const all = membersOf(providers);
  const profiles = membersOf(isObject(guardrails) ? guardrails['profiles'] : {});
  return {
    providers: named(all.filter((member) => !isEncoder(member))),
    encoders: [...named(all.filter(isEncoder)), ...named(membersOf(encoders))],
    profiles: profiles.map(([name]) => name),
    profileKeys: new Map(profiles.map(([name, entry]) => [name, isObject(entry) ? Object.keys(entry) : []])),
  };
}
