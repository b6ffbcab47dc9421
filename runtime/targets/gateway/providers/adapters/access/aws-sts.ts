import { readFile } from 'node:fs/promises';
import { messageOf } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import { accessRefused } from './access-refused.ts';
import type { Expiring } from './renewed.ts';
import { requestText } from './request-token.ts';
import { type AwsKeys, signV4 } from './sign-v4.ts';

/** The service that issues keys of roles (STS). */
export interface KeyService {
  readonly url: string;
  readonly region: string;
}

/** A role of Amazon, and a token of another system that is allowed to take it, as in pods of EKS. */
export interface WebIdentity {
  readonly roleArn: string;
  /** The file is replaced when the token expires. */
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
  return keysIn(await requestText({ url, headers: XML, form, what: `keys of ${roleArn}`, clock }), url);
}

/** A role that the holder of other keys is allowed to take. */
export interface AssumedRole {
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
  return keysIn(await requestText(request), url);
}

const XML = { accept: 'text/xml' };

function keysIn(answer: string, url: string): Expiring<AwsKeys> {
  const [accessKeyId, secretAccessKey] = [textOf(answer, 'AccessKeyId'), textOf(answer, 'SecretAccessKey')];
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw accessRefused(`The answer of ${new URL(url).host} has no keys.`);
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
    throw accessRefused(`Cannot read the token of the web identity: ${messageOf(error)}.`, error);
  }
}

/** The text of an element of XML that occurs once, and whose text needs no decoding. */
function textOf(xml: string, name: string): string | undefined {
  const [, after = ''] = xml.split(`<${name}>`, 2);
  const end = after.indexOf(`</${name}>`);
  const text = after.slice(0, Math.max(0, end)).trim();
  return text === '' || /[<&]/.test(text) ? undefined : text;
}
