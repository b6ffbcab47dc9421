import { createSign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { messageOf } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { membersOf } from '#core/json/members-of.ts';
import { errorCode } from '#core/values/error-code.ts';
import type { Clock } from '#platform/clock.ts';
import { accessRefused, expiringToken, type Expiring } from './access.ts';
import { requestToken, requestText } from './request-token.ts';
import { isObject } from '#core/json/is-object.ts';

/** Source of a Google token: a credentials file, or the machine. */
export type GoogleSource =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'metadata'; readonly url: string };

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';

const TOKEN_URL = 'https://oauth2.googleapis.com/token';

const WHAT = 'a token of Google';

const METADATA_TIMEOUT_MS = 3000;

/**
 * Requests a token in the same way as Google's own tools. @see
 * https://cloud.google.com/docs/authentication/application-default-credentials
 */
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
    throw accessRefused(`Cannot read the Google credentials in ${path}: ${reason}.`, error);
  }
}

/** @see https://developers.google.com/identity/protocols/oauth2/service-account#httprest */
function serviceForm(file: CredentialsFile, path: string, clock: Clock): Record<string, string> {
  const { client_email: email, private_key: key, private_key_id: id } = file;
  if (typeof email !== 'string' || typeof key !== 'string')
    throw accessRefused(
      `${path} has no \`client_email\` and \`private_key\`. Download the service account key again.`,
    );
  const issuedAt = Math.floor(clock.now() / 1000);
  // The audience is always this URL, even if `token_uri` differs.
  const claims = { iss: email, scope: SCOPE, aud: TOKEN_URL, iat: issuedAt, exp: issuedAt + 3600 };
  try {
    const assertion = signJwt(
      { alg: 'RS256', typ: 'JWT', ...(typeof id === 'string' && { kid: id }) },
      claims,
      key,
    );
    return { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion };
  } catch (error) {
    throw accessRefused(`The \`private_key\` in ${path} is not a PEM key.`, error);
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
      `${path} contains credentials of the unsupported type \`${String(type)}\`. Use the credentials of a service account, of a workload identity (\`external_account\`), or from \`gcloud auth application-default login\`.`,
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

/** The members of a credentials file. */
type CredentialsFile = Readonly<Record<string, unknown>>;

/** The only scope that a token needs to impersonate a service account. */
const IAM_SCOPE = 'https://www.googleapis.com/auth/iam';

const LIFETIME_SECONDS = 3600;

/**
 * Exchanges another system's token for a Google token (workload identity federation). If a service account
 * is set, the Google token is in turn exchanged for a token of that account.
 * @see https://google.aip.dev/auth/4117
 */
async function externalToken(
  file: CredentialsFile,
  path: string,
  scope: string,
  clock: Clock,
): Promise<Expiring<string>> {
  const { audience, subject_token_type: type, token_url: url } = file;
  if (typeof audience !== 'string' || typeof type !== 'string' || !isUrl(url))
    throw accessRefused(
      `${path} must contain \`audience\`, \`subject_token_type\` and \`token_url\`. Create the file again with \`gcloud iam workload-identity-pools create-cred-config\`.`,
    );
  const accountUrl = file['service_account_impersonation_url'];
  const project = file['workforce_pool_user_project'];
  const requestedAt = clock.now();
  const answer = await requestToken({
    url,
    headers: clientHeaders(file),
    form: {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      audience,
      scope: accountUrl === undefined ? scope : IAM_SCOPE,
      requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      subject_token: await subjectToken(membersOf(file['credential_source']), path, clock),
      subject_token_type: type,
      ...(typeof project === 'string' &&
        file['client_id'] === undefined && {
          options: encodeURIComponent(JSON.stringify({ userProject: project })),
        }),
    },
    what: WHAT,
    clock,
  });
  const token = expiringToken(answer, requestedAt, 'Google');
  if (accountUrl === undefined) return token;
  if (!isUrl(accountUrl))
    throw accessRefused(`\`service_account_impersonation_url\` in ${path} is not a URL.`);
  return await accountToken(accountUrl, token.value, { file, scope, clock });
}

/** @see https://cloud.google.com/iam/docs/reference/credentials/rest/v1/projects.serviceAccounts/generateAccessToken */
async function accountToken(
  url: string,
  token: string,
  { file, scope, clock }: { readonly file: CredentialsFile; readonly scope: string; readonly clock: Clock },
): Promise<Expiring<string>> {
  const { token_lifetime_seconds: seconds = LIFETIME_SECONDS } = membersOf(
    file['service_account_impersonation'],
  );
  const { accessToken, expireTime } = await requestToken({
    url,
    headers: { authorization: `Bearer ${token}` },
    json: { delegates: [], scope: [scope], lifetime: `${String(seconds)}s` },
    what: WHAT,
    clock,
  });
  const expiresAt = Date.parse(String(expireTime));
  if (typeof accessToken !== 'string' || accessToken === '')
    throw accessRefused(`The response from ${new URL(url).host} does not contain a token.`);
  return { value: accessToken, expiresAt: Number.isFinite(expiresAt) ? expiresAt : undefined };
}

/**
 * The other system's token, from a file or a server. It is read for each exchange, because the other system
 * replaces it regularly.
 */
async function subjectToken(source: CredentialsFile, path: string, clock: Clock): Promise<string> {
  const text = await sourceText(source, path, clock);
  const { type = 'text', subject_token_field_name: name } = membersOf(source['format']);
  if (type === 'text') return text.trim();
  if (type !== 'json' || typeof name !== 'string')
    throw accessRefused(`\`credential_source.format\` in ${path} must be text, or json with a field name.`);
  const found = memberIn(text, name);
  if (typeof found === 'string') return found;
  throw accessRefused(`The response from the external system has no member \`${name}\`.`);
}

async function sourceText(source: CredentialsFile, path: string, clock: Clock): Promise<string> {
  const { file, url, headers } = source;
  if (typeof file === 'string') {
    try {
      return await readFile(file, 'utf8');
    } catch (error) {
      throw accessRefused(`Cannot read the token of the external system: ${messageOf(error)}.`, error);
    }
  }
  // The configuration for Amazon machines also contains a URL, but requests to it must be signed.
  if (isUrl(url) && source['environment_id'] === undefined)
    return await requestText({
      method: 'GET',
      url,
      headers: textMembers(headers),
      what: 'the token of the other system',
      clock,
    });
  throw accessRefused(
    `\`credential_source\` in ${path} must be a file or a URL. The gateway does not support other sources.`,
  );
}

function clientHeaders({
  client_id: id,
  client_secret: secret = '',
}: CredentialsFile): Record<string, string> {
  if (typeof id !== 'string') return {};
  return { authorization: `Basic ${Buffer.from(`${id}:${String(secret)}`).toString('base64')}` };
}

function memberIn(text: string, name: string): unknown {
  try {
    return membersOf(parseJsonText(text))[name];
  } catch {
    return undefined;
  }
}

const textMembers = (value: unknown): Record<string, string> =>
  isObject(value)
    ? Object.fromEntries(
        Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
      )
    : {};

const isUrl = (value: unknown): value is string => typeof value === 'string' && URL.canParse(value);
