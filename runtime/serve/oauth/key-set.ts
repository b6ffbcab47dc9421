import type { JSONWebKeySet } from 'jose';
import { isObject } from '#core/json/is-object.ts';
import { discoverServer } from './discover.ts';
import { OAuthFailure } from './oauth-failure.ts';
import type { OAuthHttp } from './oauth-http.ts';

/** Requests the key set at a URL. Throws an OAuthFailure. */
export async function fetchKeySet(http: OAuthHttp, url: string): Promise<JSONWebKeySet> {
  const { status, body } = await http.get(url);
  if (status === 200 && isKeySet(body)) return body;
  throw new OAuthFailure(`${url} did not return a key set (status ${status}).`);
}

/** Requests an issuer's key set at the URL in its metadata. Throws an OAuthFailure. */
export async function discoverKeySet(http: OAuthHttp, issuer: string): Promise<JSONWebKeySet> {
  const url = (await discoverServer(http, issuer))?.jwksUri;
  if (url !== undefined) return await fetchKeySet(http, url);
  throw new OAuthFailure(
    `The metadata of the issuer ${issuer} is missing or contains no key set URL (jwks_uri).`,
  );
}

export const isKeySet = (value: unknown): value is JSONWebKeySet =>
  isObject(value) && Array.isArray(value['keys']);
