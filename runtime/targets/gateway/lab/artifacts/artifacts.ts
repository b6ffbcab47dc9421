import { createHmac, timingSafeEqual } from 'node:crypto';
import { AppError } from '../../../../contract/errors.ts';
import type { Clock } from '../../../../platform/clock.ts';
import type { Store } from '../../store/store.ts';
import { signingKey } from '../../store/signing-key.ts';

/** Files that work leaves behind. Who has a signed address needs no credential, until it expires. */
export interface Artifacts {
  /** Path and query of an address that works for an hour. */
  address(id: string): Promise<string>;
  /** Throws a ForbiddenError unless it was signed here and has not expired. */
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
      const [given, right] = [Buffer.from(signature), Buffer.from(await sign(id, expires))];
      if (given.length !== right.length || !timingSafeEqual(given, right)) {
        throw new AppError(
          'ForbiddenError',
          'The signature of this address is not valid; ask for a new one.',
          {
            reason: 'invalid_signature',
          },
        );
      }
      if (Number(expires) * 1000 <= clock.now()) {
        throw new AppError('ForbiddenError', 'This address has expired; ask for a new one.', {
          reason: 'expired_signature',
        });
      }
    },
  };
}
