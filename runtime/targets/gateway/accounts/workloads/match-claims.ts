import { isObject } from '#core/json/is-object.ts';
import { lookup } from '#core/values/lookup.ts';
import { matchesExactly } from '#core/text/name-pattern.ts';
import { AppError } from '#contract/errors.ts';
import type { ClaimPatterns, WorkloadIssuer, WorkloadRule } from './workload-config.ts';

export type Claims = Readonly<Record<string, unknown>>;

/** The rule for a token and the user to bill. Throws a ForbiddenError if no rule applies. */
export function matchRule(
  { name, rules }: Pick<WorkloadIssuer, 'name' | 'rules'>,
  claims: Claims,
): { readonly rule: WorkloadRule; readonly userId: string } {
  const rule = rules.find((one) => areMatching(one.claims, claims));
  if (!rule) throw refused(`No rule of the workload issuer \`${name}\` matches the token’s claims.`);
  return { rule, userId: userIn(rule.user, claims) };
}

/** Whether each claim matches one of its patterns. */
function areMatching(patterns: ClaimPatterns, claims: Claims): boolean {
  const known = lookup<unknown>(claims);
  return Object.entries(patterns).every(([name, expected]) => {
    const value = known[name];
    if (isList(expected)) return textsOf(value).some((text) => matchesExactly(expected, text));
    return isObject(value) && areMatching(expected, value);
  });
}

const isList = (value: readonly string[] | ClaimPatterns): value is readonly string[] => Array.isArray(value);

/** One text, or a list of which one must match. */
const textsOf = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).flatMap((item) => textOf(item) ?? []);

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;

/** A part of a template: text, or the path of a claim. */
type TemplatePart = { readonly text: string } | { readonly claim: string };

/** Splits a template such as `ci/{repository}`. Undefined if its braces do not match. */
export function templateParts(template: string): readonly TemplatePart[] | undefined {
  const pieces = template.split(/\{([^{}]+)\}/);
  const parts = pieces.map((piece, at) => (at % 2 === 0 ? { text: piece } : { claim: piece }));
  const isBroken = pieces.some((piece, at) => at % 2 === 0 && /[{}]/.test(piece));
  return isBroken ? undefined : parts.filter((part) => !('text' in part && part.text === ''));
}

/**
 * Fills in a template. Two tokens with different claims must not get the same user, so a claim must not
 * contain the text that separates it from the next claim.
 */
function userIn(template: string, claims: Claims): string {
  const parts = templateParts(template) ?? [];
  return parts
    .map((part, at) => {
      if ('text' in part) return part.text;
      const value = textOf(claimAt(claims, part.claim));
      if (value === undefined || value === '')
        throw refused(
          `The token does not contain the claim \`${part.claim}\`, which is part of the user ID.`,
        );
      const next = parts[at + 1];
      if (parts.length > at + 2 && next && 'text' in next && isAmbiguous(value, next.text))
        throw refused(
          `${JSON.stringify(next.text)} separates the claim \`${part.claim}\` from the next claim in the user ID, but the claim contains it or ends with a part of it. Use another separator in \`${template}\`.`,
        );
      return value;
    })
    .join('');
}

/** Whether a value with its separator contains the separator earlier: with `--`, also `a-` is followed by it earlier. */
const isAmbiguous = (value: string, separator: string): boolean =>
  `${value}${separator}`.indexOf(separator) < value.length;

/** A claim by its path, such as `kubernetes.io/namespace`. Names can contain dots. */
function claimAt(claims: Claims, path: string): unknown {
  let value: unknown = claims;
  for (const name of path.split('/')) value = isObject(value) ? lookup<unknown>(value)[name] : undefined;
  return value;
}

export const refused = (message: string): AppError =>
  new AppError('ForbiddenError', message, { reason: 'workload_refused' });
