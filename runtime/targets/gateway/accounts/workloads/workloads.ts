import { AppError } from '#contract/errors.ts';
import { sha256 } from '#platform/sha256.ts';
import type { Clock } from '#platform/clock.ts';
import { isJwt } from '#serve/oauth/jwks.ts';
import type { Keys } from '../identity/identity.ts';
import { createSealedValues } from '../sealed-values.ts';
import { matchRule } from './match-claims.ts';
import type { WorkloadIssuer } from './workload-config.ts';
import { createWorkloadKeys } from './workload-keys.ts';
import { createWorkloadTokens } from './workload-tokens.ts';
import type { Workloads } from '../identity/workloads-api.ts';

export interface WorkloadParts {
  readonly keys: Keys;
  readonly clock: Clock;
  /** A key shared by all gateways with this database. */
  readonly key: Uint8Array;
}

/** Prefix of short-lived keys, which distinguishes them from keys in the database. */
const PREFIX = 'gwt-';
/** Maximum number of tokens whose key is known. */
const MAX_CACHED = 10_000;

interface Known {
  readonly keyId: string;
  /** When the token expires. */
  readonly until: number;
}

export function createWorkloads(
  issuers: readonly WorkloadIssuer[],
  { keys, clock, key }: WorkloadParts,
): Workloads {
  const tokens = createWorkloadTokens(issuers, clock);
  const keyOf = createWorkloadKeys(keys);
  const sealed = createSealedValues<string>(key, { purpose: 'short-lived key', maxAgeMs: 0 }, clock);
  /** By token hash, so that no token stays in memory. */
  const known = new Map<string, Known>();
  /** A client often sends several requests with a new token. */
  const pending = new Map<string, Promise<Known>>();

  const admit = async (token: string): Promise<Known & { readonly issuer: WorkloadIssuer }> => {
    const { issuer, claims } = await tokens.verify(token);
    const { rule, userId } = matchRule(issuer, claims);
    return { issuer, keyId: await keyOf(issuer, rule, userId), until: claims.exp * 1000 };
  };
  const learn = async (hash: string, token: string): Promise<Known> => {
    try {
      const found = await admit(token);
      if (known.size >= MAX_CACHED) known.clear();
      known.set(hash, { keyId: found.keyId, until: found.until });
      return found;
    } finally {
      pending.delete(hash);
    }
  };

  return {
    accepts: (token) => token.startsWith(PREFIX) || isJwt(token),
    keyId(token) {
      if (token.startsWith(PREFIX)) {
        const keyId = sealed.open(token.slice(PREFIX.length));
        if (keyId !== undefined) return keyId;
        throw new AppError('UnauthorizedError', 'The short-lived key is invalid or has expired.', {
          reason: 'invalid_key',
        });
      }
      const hash = sha256(token);
      const found = known.get(hash);
      if (found && clock.now() < found.until) return found.keyId;
      known.delete(hash);
      const learning = pending.get(hash) ?? learn(hash, token);
      pending.set(hash, learning);
      return learning.then(({ keyId }) => keyId);
    },
    forget: (token) => void known.delete(sha256(token)),
    async exchange(token, seconds) {
      const { issuer, keyId } = await admit(token);
      const ageMs = Math.min(issuer.keyMs, seconds === undefined ? Infinity : seconds * 1000);
      const secret = PREFIX + sealed.close(keyId, ageMs);
      return { secret, keyId, expiresAt: Math.floor(clock.now() + ageMs) };
    },
    close: () => tokens.close(),
  };
}
