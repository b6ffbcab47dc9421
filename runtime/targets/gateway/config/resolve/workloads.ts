import { isObject } from '#core/json/is-object.ts';
import { omitUndefined } from '#core/json/omit-undefined.ts';
import { templateParts } from '../../accounts/workloads/match-claims.ts';
import type {
  ClaimPatterns,
  WorkloadIssuer,
  WorkloadRule,
} from '../../accounts/workloads/workload-config.ts';
import type { GatewayFile } from '../schemas/file.ts';
import { WORKLOAD_DEFAULTS, type WorkloadEntry, type WorkloadRuleEntry } from '../schemas/workloads.ts';
import { durationIn, type Path, pathIn, type ResolveContext, timeIn } from './context.ts';
import { dollarsIn } from './dollars.ts';
import { secureUrl } from './secure-url.ts';

const MAX_KEY_MS = 24 * 3_600_000;

export function resolveWorkloads(
  context: ResolveContext,
  { workloads = {} }: Pick<GatewayFile, 'workloads'>,
): readonly WorkloadIssuer[] {
  const { report } = context;
  const names = new Map<string, string>();
  return Object.entries(workloads).map(([name, entry]) => {
    const path = ['workloads', name];
    if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(name))
      report(path, 'expected a name of at most 40 lowercase letters, digits and hyphens', 'key');
    secureUrl(context, [...path, 'issuer'], entry.issuer);
    const other = names.get(entry.issuer);
    if (other !== undefined)
      report([...path, 'issuer'], `is also the issuer of \`${other}\`; combine their rules`);
    names.set(entry.issuer, name);
    const keyMs = durationIn(
      context,
      [...path, 'key_duration'],
      entry.key_duration ?? WORKLOAD_DEFAULTS.keyDuration,
    );
    if (keyMs < 60_000 || keyMs > MAX_KEY_MS)
      report([...path, 'key_duration'], 'expected a time from 1m to 24h');
    return {
      name,
      issuer: entry.issuer,
      audiences: typeof entry.audience === 'string' ? [entry.audience] : entry.audience,
      keys: keysOf(context, path, entry),
      keyMs,
      maxUsers: entry.max_users ?? WORKLOAD_DEFAULTS.maxUsers,
      rules: entry.rules.map((rule, at) => ruleOf(context, [...path, 'rules', String(at)], rule, name)),
    };
  });
}

function keysOf(
  context: ResolveContext,
  path: Path,
  { jwks_url: url, jwks_file: file }: WorkloadEntry,
): WorkloadIssuer['keys'] {
  if (url !== undefined && file !== undefined)
    context.report([...path, 'jwks_file'], 'conflicts with `jwks_url`; keep one of them', 'key');
  if (file !== undefined) return { file: pathIn(context, file) };
  if (url === undefined) return undefined;
  secureUrl(context, [...path, 'jwks_url'], url);
  return { url };
}

function ruleOf(context: ResolveContext, path: Path, rule: WorkloadRuleEntry, name: string): WorkloadRule {
  const { report } = context;
  const user = rule.user ?? `${name}/{sub}`;
  const parts = templateParts(user) ?? [];
  const [first] = parts;
  if (first === undefined) report([...path, 'user'], 'has unmatched braces; write claims as `{name}`');
  // Otherwise, the workload could choose another user's ID.
  else if (!('text' in first)) report([...path, 'user'], 'must begin with text, e.g. `ci/{sub}`');
  // Otherwise, two tokens with different claims could get the same user.
  else if (parts.some((part, at) => 'claim' in part && 'claim' in (parts[at + 1] ?? {})))
    report([...path, 'user'], 'must have text between two claims, e.g. `ci/{repository}:{environment}`');
  const maxBudget =
    rule.max_budget === undefined ? undefined : dollarsIn(context, [...path, 'max_budget'], rule.max_budget);
  const windowMs = timeIn(context, [...path, 'budget_duration'], rule.budget_duration);
  if (windowMs !== undefined && maxBudget === undefined)
    report([...path, 'budget_duration'], 'requires `max_budget`', 'key');
  if (windowMs !== undefined && windowMs < 1000) report([...path, 'budget_duration'], 'must be at least 1s');
  return {
    claims: patternsOf(context, [...path, 'claims'], rule.claims),
    user,
    team: rule.team ?? null,
    settings: omitUndefined({
      allowedModels: rule.allowed_models,
      rpm: rule.rpm,
      tpm: rule.tpm,
      maxParallel: rule.max_parallel,
      budget:
        maxBudget === undefined
          ? undefined
          : { maxBudget, budgetDurationSec: windowMs === undefined ? null : Math.floor(windowMs / 1000) },
    }),
  };
}

/** Claims can have any names and any depth, so the schema does not describe them. */
function patternsOf(
  context: ResolveContext,
  path: Path,
  claims: Readonly<Record<string, unknown>>,
): ClaimPatterns {
  const patterns = (value: unknown, at: Path): readonly string[] | ClaimPatterns => {
    const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (texts.length > 0 && texts.every((text) => isScalar(text))) return texts.map(String);
    if (isObject(value) && Object.keys(value).length > 0) return patternsOf(context, at, value);
    context.report(at, 'expected a pattern, a list of patterns, or a mapping of claims');
    return [];
  };
  return Object.fromEntries(
    Object.entries(claims).map(([name, value]) => [name, patterns(value, [...path, name])]),
  );
}

const isScalar = (value: unknown): boolean =>
  (typeof value === 'string' && value !== '') || typeof value === 'number' || typeof value === 'boolean';
