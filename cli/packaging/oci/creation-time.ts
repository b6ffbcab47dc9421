import { configError } from '#contract/errors.ts';

/**
 * An image's creation time, from `SOURCE_DATE_EPOCH`
 * (https://reproducible-builds.org/specs/source-date-epoch/).
 */
export function creationTime(epoch: string | undefined): string | undefined {
  if (epoch === undefined || epoch === '') return undefined;
  const date = new Date(/^\d{1,12}$/.test(epoch) ? Number(epoch) * 1000 : Number.NaN);
  if (!Number.isNaN(date.getTime())) return date.toISOString().replace('.000Z', 'Z');
  throw configError(
    `SOURCE_DATE_EPOCH is ${JSON.stringify(epoch)}, but must be a number of seconds since 1970. Correct it, or unset it.`,
  );
}
