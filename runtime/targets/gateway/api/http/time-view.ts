import { rfc3339 } from '#core/time/rfc3339.ts';

export const timeOrNull = (milliseconds: number | null): string | null =>
  milliseconds === null ? null : rfc3339(milliseconds);
