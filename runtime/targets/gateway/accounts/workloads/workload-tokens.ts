import { readFile } from 'node:fs/promises';
import { decodeJwt, type JSONWebKeySet } from 'jose';
import { AppError, messageOf } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import type { Clock } from '#platform/clock.ts';
import { createJwks, SIGNATURE_ALGORITHMS } from '#serve/oauth/jwks.ts';
import { discoverKeySet, fetchKeySet, isKeySet } from '#serve/oauth/key-set.ts';
import { OAuthFailure } from '#serve/oauth/oauth-failure.ts';
import { createOAuthHttp } from '#serve/oauth/oauth-http.ts';
import { verifyToken } from '#serve/oauth/verify-token.ts';
import type { Claims } from './match-claims.ts';
import type { WorkloadIssuer } from './workload-config.ts';

/** Verifies tokens of the configured issuers. */
export interface WorkloadTokens {
  /** Returns the verified claims and the issuer. Throws an UnauthorizedError for any other token. */
  verify(
    token: string,
  ): Promise<{ readonly issuer: WorkloadIssuer; readonly claims: Claims & { exp: number } }>;
  /** Reads an issuer's keys; returns their number. Throws an OAuthFailure. */
  check(issuer: WorkloadIssuer): Promise<number>;
  close(): Promise<void>;
}

const TIMEOUT_MS = 10_000;

export function createWorkloadTokens(
  issuers: readonly WorkloadIssuer[],
  clock: Pick<Clock, 'now'>,
): WorkloadTokens {
  const http = createOAuthHttp({
    // The operator chose the issuers, which are often in the same network.
    allowsPrivate: true,
    allowsHttp: issuers.some(({ issuer }) => issuer.startsWith('http:')),
    timeoutMs: TIMEOUT_MS,
  });
  const load = async ({ issuer, keys }: WorkloadIssuer): Promise<JSONWebKeySet> => {
    if (keys && 'file' in keys) return await readKeySet(keys.file);
    return keys ? await fetchKeySet(http, keys.url) : await discoverKeySet(http, issuer);
  };
  const known = new Map(
    issuers.map((issuer) => [
      issuer.issuer,
      { issuer, keys: createJwks({ load: () => load(issuer), now: () => clock.now() }) },
    ]),
  );
  return {
    async verify(token) {
      // Before verification, the issuer is only compared with the configured ones.
      const named = issuerIn(token);
      const found = known.get(named ?? '');
      if (!found) throw invalid(`its issuer ${shown(named)} is not configured in \`workloads\``);
      const { issuer, keys } = found;
      const rules = { issuer: issuer.issuer, audiences: issuer.audiences, algorithms: SIGNATURE_ALGORITHMS };
      const claims = await verifyToken(token, rules, keys, () => clock.now());
      // A stolen token of this kind would work without the key that it is bound to.
      if (claims['cnf'] !== undefined)
        throw invalid('it is bound to a client key (`cnf`), which is not supported');
      return { issuer, claims: { ...claims, exp: claims.exp ?? 0 } };
    },
    check: async (issuer) => (await load(issuer)).keys.length,
    close: () => http.close(),
  };
}

async function readKeySet(file: string): Promise<JSONWebKeySet> {
  try {
    const value = parseJsonText(await readFile(file, 'utf8'));
    if (isKeySet(value)) return value;
  } catch (error) {
    throw new OAuthFailure(`Cannot read the key set ${file}: ${messageOf(error)}`);
  }
  throw new OAuthFailure(`${file} is not a key set: expected an object with \`keys\`.`);
}

function issuerIn(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

const shown = (issuer: string | undefined): string => JSON.stringify(issuer?.slice(0, 200) ?? '');

const invalid = (reason: string): AppError =>
  new AppError('UnauthorizedError', `Invalid access token: ${reason}.`, { reason: 'invalid_token' });
