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
  const { sources, header, lifetime } = entry;
  const problem = header === undefined ? undefined : headerNameProblem(header);
  if (problem !== undefined) context.report(['affinity', 'header'], problem);
  return {
    ...AFFINITY_DEFAULTS,
    ...omitUndefined({
      sources,
      header: header?.toLowerCase(),
      lifetimeMs: timeIn(context, ['affinity', 'lifetime'], lifetime),
    }),
  };
}
