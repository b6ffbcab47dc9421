import { createHmac, timingSafeEqual } from 'node:crypto';
import { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import type { Store } from '../store/store.ts';
import { signingKey } from '../store/signing-key.ts';

/** Files produced by jobs. A signed URL allows downloads without credentials until it expires. */
export interface Artifacts {
  /** Path and query of a URL that is valid for one hour. */
  address(id: string): Promise<string>;
  /** Throws a ForbiddenError if the signature is invalid or expired. */
  check(id: string, expires: string | undefined, signature: string | undefined): Promise<void>;
}

const LIFETIME_SECONDS = 3600;

export function createArtifacts({ db }: Pick<Store, 'db'>, clock: Clock): Artifacts {
  let known: Promise<Uint8Array> | undefined;
  const sign = async (id: string, expires: string): Promise<string> =>
    createHmac('sha256', await (known ??= signingKey(db, 'artifacts')))
      .update(`${id}\n${expires}`)
      .digest('base64url');

  return {
    async address(id) {
      const expires = String(Math.floor(clock.now() / 1000) + LIFETIME_SECONDS);
      return `/api/v1/artifacts/${id}?expires=${expires}&sig=${await sign(id, expires)}`;
    },
    async check(id, expires = '', signature = '') {
      const [received, expected] = [Buffer.from(signature), Buffer.from(await sign(id, expires))];
      if (received.length !== expected.length || !timingSafeEqual(received, expected)) {
        throw new AppError('ForbiddenError', 'Invalid signature in the download URL. Request a new URL.', {
          reason: 'invalid_signature',
        });
      }
      if (Number(expires) * 1000 <= clock.now()) {
        throw new AppError('ForbiddenError', 'This download URL has expired. Request a new URL.', {
          reason: 'expired_signature',
        });
      }
    },
  };
}
