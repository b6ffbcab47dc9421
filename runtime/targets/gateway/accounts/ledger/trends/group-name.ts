import type { TrendGrouping } from './trends-api.ts';

/** The group of a name in the sums: for providers, the part of a model name before the colon. */
export const groupName = (name: string, by: TrendGrouping): string =>
  by === 'provider' ? name.slice(0, Math.max(0, name.indexOf(':'))) : name;
