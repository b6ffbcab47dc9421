import { readFile } from 'node:fs/promises';
import type { Clock } from '#platform/clock.ts';
import type { Json } from '../../shapes/chat.ts';
import { accessRefused, type Expiring } from './access.ts';
import { requestText, requestToken } from './request-token.ts';
import { signV4, type AwsKeys } from './sign-v4.ts';
import { trimEndOf } from '#core/text/trim-text.ts';
import { messageOf } from '#contract/errors.ts';

/** The server that provides keys inside an ECS container or EKS pod. */
export interface ContainerSource {
  readonly url: string;
  readonly token: string | undefined;
  /** A file with the token, which changes over time. */
  readonly tokenFile: string | undefined;
}

/** The timeout is short, because the server either responds immediately or does not exist. */
const TIMEOUT_MS = 2000;

const WHAT = 'keys for Amazon';

/** @see https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html */
export async function containerKeys(
  { url, token, tokenFile }: ContainerSource,
  clock: Clock,
): Promise<Expiring<AwsKeys>> {
  const secret = tokenFile === undefined ? token : (await readFile(tokenFile, 'utf8')).trim();
  const headers = secret === undefined ? {} : { authorization: secret };
  return keysInJson(
    await requestToken({ method: 'GET', url, headers, timeoutMs: TIMEOUT_MS, what: WHAT, clock }),
  );
}

const ROLES = '/latest/meta-data/iam/security-credentials/';

/**
 * Keys for a machine's role. @see
 * https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-metadata-security-credentials.html
 */
export async function instanceKeys(baseUrl: string, clock: Clock): Promise<Expiring<AwsKeys>> {
  const base = trimEndOf(baseUrl, '/');
  const request = { timeoutMs: TIMEOUT_MS, what: WHAT, clock } as const;
  const token = await requestText({
    ...request,
    method: 'PUT',
    url: `${base}/latest/api/token`,
    headers: { 'x-aws-ec2-metadata-token-ttl-seconds': '300' },
  });
  const headers = { 'x-aws-ec2-metadata-token': token.trim() };
  const role = await requestText({ ...request, method: 'GET', url: base + ROLES, headers });
  const [name = ''] = role.trim().split('\n');
  return keysInJson(await requestToken({ ...request, method: 'GET', url: base + ROLES + name, headers }));
}

function keysInJson({ AccessKeyId, SecretAccessKey, Token, Expiration, Message }: Json): Expiring<AwsKeys> {
  if (typeof AccessKeyId !== 'string' || typeof SecretAccessKey !== 'string')
    throw accessRefused(
      `The instance metadata does not contain AWS credentials${typeof Message === 'string' ? `: ${Message}` : '.'}`,
    );
  const expiresAt = Date.parse(String(Expiration));
  return {
    value: {
      accessKeyId: AccessKeyId,
      secretAccessKey: SecretAccessKey,
      sessionToken: typeof Token === 'string' ? Token : undefined,
    },
    expiresAt: Number.isFinite(expiresAt) ? expiresAt : undefined,
  };
}

/** The service that issues keys for roles (STS). */
export interface KeyService {
  readonly url: string;
  readonly region: string;
}

/** An Amazon role, and a token from another system with which the role can be assumed, as in EKS pods. */
export interface WebIdentity {
  readonly roleArn: string;
  /** The file is read for each request, because it is replaced when the token expires. */
  readonly tokenFile: string;
  readonly sessionName: string;
}

const VERSION = '2011-06-15';

/** @see https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html */
export async function webIdentityKeys(
  { roleArn, tokenFile, sessionName }: WebIdentity,
  { url }: KeyService,
  clock: Clock,
): Promise<Expiring<AwsKeys>> {
  const form = {
    Action: 'AssumeRoleWithWebIdentity',
    Version: VERSION,
    RoleArn: roleArn,
    RoleSessionName: sessionName,
    WebIdentityToken: await tokenIn(tokenFile),
  };
  return keysInXml(await requestText({ url, headers: XML, form, what: `keys of ${roleArn}`, clock }), url);
}

/** A role that can be assumed with other keys. */
interface AssumedRole {
  readonly roleArn: string;
  readonly sessionName: string;
  readonly externalId: string | undefined;
  readonly durationSeconds: string | undefined;
}

/** @see https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html */
export async function roleKeys(
  { roleArn, sessionName, externalId, durationSeconds }: AssumedRole,
  keys: AwsKeys,
  { url, region }: KeyService,
  clock: Clock,
): Promise<Expiring<AwsKeys>> {
  const form = {
    Action: 'AssumeRole',
    Version: VERSION,
    RoleArn: roleArn,
    RoleSessionName: sessionName,
    ...(externalId !== undefined && { ExternalId: externalId }),
    ...(durationSeconds !== undefined && { DurationSeconds: durationSeconds }),
  };
  const body = Buffer.from(new URLSearchParams(form).toString());
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const signed = signV4(
    { method: 'POST', url: new URL('/', url), headers, body },
    { keys, region, service: 'sts', now: clock.now() },
  );
  const request = { url, headers: { ...XML, ...signed }, form, what: `keys of ${roleArn}`, clock };
  return keysInXml(await requestText(request), url);
}

const XML = { accept: 'text/xml' };

function keysInXml(answer: string, url: string): Expiring<AwsKeys> {
  const [accessKeyId, secretAccessKey] = [textOf(answer, 'AccessKeyId'), textOf(answer, 'SecretAccessKey')];
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw accessRefused(`The response from ${new URL(url).host} does not contain credentials.`);
  const expiresAt = Date.parse(textOf(answer, 'Expiration') ?? '');
  return {
    value: { accessKeyId, secretAccessKey, sessionToken: textOf(answer, 'SessionToken') },
    expiresAt: Number.isFinite(expiresAt) ? expiresAt : undefined,
  };
}

async function tokenIn(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    throw accessRefused(`Cannot read the web identity token file: ${messageOf(error)}.`, error);
  }
}

/**
 * The text of an XML element. The element must occur only once, and its text must not require decoding.
 */
function textOf(xml: string, name: string): string | undefined {
  const [, after = ''] = xml.split(`<${name}>`, 2);
  const end = after.indexOf(`</${name}>`);
  const text = after.slice(0, Math.max(0, end)).trim();
  return text === '' || /[<&]/.test(text) ? undefined : text;
}
