import type { Static } from 'typebox';
import { inputError } from '#contract/errors.ts';
import type { DatasetSource } from '../../evaluation/datasets/sources/source.ts';
import type { Secrets } from '../../evaluation/secrets/secrets.ts';
import { inMember } from '../../evaluation/workflows/member-errors.ts';
import type { datasetImport } from './schemas.ts';
import type { Owner } from '../../shared/owner.ts';

/** Converts a request, with the values of its secrets. Throws an InputError, or a NotFoundError for a missing secret. */
export async function sourceIn(
  { source, hf, s3 }: Static<typeof datasetImport>,
  owner: Owner | null,
  secrets: Pick<Secrets, 'reveal'>,
): Promise<DatasetSource> {
  const secretOf = async (name: string | null | undefined): Promise<string | undefined> =>
    name ? await secrets.reveal(owner, name) : undefined;
  const accessKeyId = s3?.access_key_id ?? undefined;
  const secretAccessKey = await secretOf(s3?.secret_key_name);
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined)) {
    inMember('s3', () => {
      throw inputError('`access_key_id` and `secret_key_name` belong together. Set both, or none of them.');
    });
  }
  return {
    source,
    hub: {
      endpoint: hf?.endpoint ?? undefined,
      config: hf?.config ?? undefined,
      split: hf?.split ?? undefined,
      revision: hf?.revision ?? undefined,
      token: await secretOf(hf?.secret_key_name),
    },
    s3: {
      endpoint: s3?.endpoint ?? undefined,
      region: s3?.region ?? undefined,
      pathStyle: s3?.path_style ?? undefined,
      keys:
        accessKeyId === undefined || secretAccessKey === undefined
          ? undefined
          : { accessKeyId, secretAccessKey, sessionToken: await secretOf(s3?.session_token_name) },
    },
  };
}
