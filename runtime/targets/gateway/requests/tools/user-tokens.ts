import {
  createECDH,
  createHash,
  createHmac,
  createPrivateKey,
  type KeyObject,
  randomUUID,
  sign,
} from 'node:crypto';
import type { Clock } from '#platform/clock.ts';
import type { UserTokenSettings } from '../../shared/tool-settings.ts';

// Tokens that name the user of the gateway for whom an MCP server is called. They are JWTs, which servers verify like access tokens: with the
// public key of this gateway, their issuer, their audience and their expiry.

/** Signs statements about users for servers that trust the gateway. */
export interface UserTokens {
  sign(userId: string, settings: UserTokenSettings): Promise<UserToken>;
  /** The public keys as a JSON Web Key Set. */
  keys(): Promise<{ readonly keys: readonly PublicKey[] }>;
}

/** A token, and when a new one is needed, in milliseconds since 1970. */
export interface UserToken {
  readonly token: string;
  readonly renewAt: number;
}

interface PublicKey {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly x: string;
  readonly y: string;
  readonly kid: string;
  readonly alg: 'ES256';
  readonly use: 'sig';
}

interface UserTokenParts {
  /** Bytes that all gateways with this database share. */
  readonly seed: () => Promise<Uint8Array>;
  /** The database alone is not sufficient to sign. */
  readonly masterKey: string | undefined;
  readonly clock: Pick<Clock, 'now'>;
}

const CURVE = 'prime256v1';
const LIFETIME_SECONDS = 60;
/** A token is not used in the last part of its lifetime, because it has to be valid when it arrives. */
const RENEW_MS = 30_000;

export function createUserTokens({ seed, masterKey = '', clock }: UserTokenParts): UserTokens {
  let opened: Promise<SigningKey> | undefined;
  const open = (): Promise<SigningKey> =>
    (opened ??= seed()
      .then((bytes) => signingKeyOf(createHmac('sha256', bytes).update(masterKey).digest()))
      .catch((error: unknown) => {
        opened = undefined;
        throw error;
      }));
  return {
    async sign(userId, { issuer, audience }) {
      const { key, shown } = await open();
      const now = clock.now();
      const issuedAt = Math.floor(now / 1000);
      const parts = [
        { alg: shown.alg, kid: shown.kid, typ: 'JWT' },
        {
          iss: issuer,
          sub: userId,
          aud: audience,
          iat: issuedAt,
          exp: issuedAt + LIFETIME_SECONDS,
          jti: randomUUID(),
        },
      ];
      const text = parts.map((part) => encoded(Buffer.from(JSON.stringify(part)))).join('.');
      const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
      return { token: `${text}.${encoded(signature)}`, renewAt: now + RENEW_MS };
    },
    async keys() {
      return { keys: [(await open()).shown] };
    },
  };
}

interface SigningKey {
  readonly key: KeyObject;
  readonly shown: PublicKey;
}

const encoded = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

function signingKeyOf(secret: Uint8Array): SigningKey {
  const pair = createECDH(CURVE);
  pair.setPrivateKey(secret);
  // An uncompressed point: a prefix and two coordinates of 32 bytes.
  const point = pair.getPublicKey();
  const own = {
    crv: 'P-256',
    kty: 'EC',
    x: encoded(point.subarray(1, 33)),
    y: encoded(point.subarray(33)),
  } as const;
  // The members of the thumbprint are in alphabetical order (RFC 7638).
  const kid = createHash('sha256').update(JSON.stringify(own)).digest('base64url');
  return {
    key: createPrivateKey({ key: { ...own, d: encoded(secret) }, format: 'jwk' }),
    shown: { ...own, kid, alg: 'ES256', use: 'sig' },
  };
}
