import { createSign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { messageOf } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { membersOf } from '#core/json/members-of.ts';
import { errorCode } from '#core/values/error-code.ts';
import type { Clock } from '#platform/clock.ts';
import { accessRefused } from './access-refused.ts';
import { expiringToken } from './expiring-token.ts';
import { type CredentialsFile, externalToken } from './google-external.ts';
import type { Expiring } from './renewed.ts';
import { requestToken } from './request-token.ts';

/** Where a token of Google is from: a file with credentials, or the machine. */
export type GoogleSource =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'metadata'; readonly url: string };

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const TOKEN_URL = 'https://oauth2.googleapis.com/token';
const WHAT = 'a token of Google';
const METADATA_TIMEOUT_MS = 3000;

/** Requests a token as Google's own tools do. @see https://cloud.google.com/docs/authentication/application-default-credentials */
export async function googleToken(source: GoogleSource, clock: Clock): Promise<Expiring<string>> {
  if (source.kind === 'metadata') return await machineToken(source.url, clock);
  const file = await readCredentials(source.path);
  if (file['type'] === 'external_account') return await externalToken(file, source.path, SCOPE, clock);
  const form =
    file['type'] === 'service_account' ? serviceForm(file, source.path, clock) : userForm(file, source.path);
  const url = typeof file['token_uri'] === 'string' ? file['token_uri'] : TOKEN_URL;
  const requestedAt = clock.now();
  const answer = await requestToken({ url, form, what: WHAT, clock });
  return expiringToken(answer, requestedAt, 'Google');
}

async function readCredentials(path: string): Promise<CredentialsFile> {
  try {
    return membersOf(parseJsonText(await readFile(path, 'utf8')));
  } catch (error) {
    const reason = errorCode(error) === 'ENOENT' ? 'it does not exist' : messageOf(error);
    throw accessRefused(`Cannot read the credentials of Google in ${path}: ${reason}.`, error);
  }
}

/** @see https://developers.google.com/identity/protocols/oauth2/service-account#httprest */
function serviceForm(file: CredentialsFile, path: string, clock: Clock): Record<string, string> {
  const { client_email: email, private_key: key, private_key_id: id } = file;
  if (typeof email !== 'string' || typeof key !== 'string')
    throw accessRefused(
      `${path} has no \`client_email\` and \`private_key\`. Download the key of the account again.`,
    );
  const issuedAt = Math.floor(clock.now() / 1000);
  // The audience is this address also where `token_uri` has another.
  const claims = { iss: email, scope: SCOPE, aud: TOKEN_URL, iat: issuedAt, exp: issuedAt + 3600 };
  try {
    const assertion = signJwt(
      { alg: 'RS256', typ: 'JWT', ...(typeof id === 'string' && { kid: id }) },
      claims,
      key,
    );
    return { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion };
  } catch (error) {
    throw accessRefused(`The \`private_key\` in ${path} is not a key in the format PEM.`, error);
  }
}

/** A JSON Web Token with an RSA signature. @see https://www.rfc-editor.org/rfc/rfc7515 */
function signJwt(header: object, claims: object, privateKey: string): string {
  const text = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${text}.${createSign('RSA-SHA256').update(text).sign(privateKey, 'base64url')}`;
}

function userForm(file: CredentialsFile, path: string): Record<string, string> {
  const { type, client_id: id, client_secret: secret, refresh_token: token } = file;
  if (type !== 'authorized_user')
    throw accessRefused(
      `${path} has credentials of type \`${String(type)}\`. Use those of a service account, of a workload identity (\`external_account\`), or of \`gcloud auth application-default login\`.`,
    );
  return {
    grant_type: 'refresh_token',
    client_id: String(id),
    client_secret: String(secret),
    refresh_token: String(token),
  };
}

/** @see https://cloud.google.com/compute/docs/access/authenticate-workloads */
async function machineToken(baseUrl: string, clock: Clock): Promise<Expiring<string>> {
  const requestedAt = clock.now();
  const answer = await requestToken({
    method: 'GET',
    url: `${baseUrl}/computeMetadata/v1/instance/service-accounts/default/token`,
    headers: { 'metadata-flavor': 'Google' },
    timeoutMs: METADATA_TIMEOUT_MS,
    what: WHAT,
    clock,
  });
  return expiringToken(answer, requestedAt, 'the metadata server');
}
