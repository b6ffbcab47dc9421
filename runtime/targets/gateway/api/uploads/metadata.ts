import { inputError } from '#contract/errors.ts';

/** Reads `Upload-Metadata`: pairs of a key and a value in Base64, separated by commas. Throws an InputError. */
export function metadataIn(header: string | undefined): ReadonlyMap<string, string> {
  const pairs = (header ?? '').split(',').map((pair) => pair.trim());
  return new Map(
    pairs
      .filter((pair) => pair !== '')
      .map((pair) => {
        const [key = '', value = '', ...more] = pair.split(' ');
        if (more.length > 0 || !/^[A-Za-z\d+/]*={0,2}$/.test(value))
          throw inputError('`Upload-Metadata` must have pairs of a key and a value in Base64.');
        return [key, Buffer.from(value, 'base64').toString('utf8')] as const;
      }),
  );
}
