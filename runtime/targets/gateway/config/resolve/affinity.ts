import { omitUndefined } from '#core/json/omit-undefined.ts';
import { headerNameProblem } from '#core/text/header-rules.ts';
import { AFFINITY_DEFAULTS, type AffinitySettings } from '../../requests/routing/affinity.ts';
import type { AffinityEntry } from '../schemas/affinity.ts';
import { type ResolveContext, timeIn } from './context.ts';

/** Resolves `affinity`; undefined without this section. */
export function resolveAffinity(
  context: ResolveContext,
  entry: AffinityEntry | undefined,
): AffinitySettings | undefined {
  if (entry === undefined) return undefined;
  const { sources, headers, lifetime } = entry;
  for (const [index, header] of (headers ?? []).entries()) {
    const problem = headerNameProblem(header);
    if (problem !== undefined) context.report(['affinity', 'headers', String(index)], problem);
  }
  return {
    ...AFFINITY_DEFAULTS,
    ...omitUndefined({
      sources,
      headers: headers?.map((header) => header.toLowerCase()),
      lifetimeMs: timeIn(context, ['affinity', 'lifetime'], lifetime),
    }),
  };
}
