import { readFile } from 'node:fs/promises';
import { messageOf } from '../../../../../contract/errors.ts';
import type { Clock } from '../../../../../platform/clock.ts';
import { accessRefused } from './access-refused.ts';
import type { Expiring } from './renewed.ts';
import { requestText } from './request-token.ts';
import type { AwsKeys } from './sign-v4.ts';

/** A role of Amazon, and a token of another system that is allowed to take it, as in pods of EKS. */
export interface WebIdentity {
  readonly roleArn: string;
  /** The file is replaced when the token expires. */
  readonly tokenFile: string;
  readonly sessionName: string;
  /** URL of the service that issues keys (STS). */
  readonly url: string;
}

/** @see https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html */
export async function webIdentityKeys(
  { roleArn, tokenFile, sessionName, url }: WebIdentity,
  clock: Clock,
): Promise<Expiring<AwsKeys>> {
  const answer = await requestText({
    url,
    headers: { accept: 'text/xml' },
    form: {
      Action: 'AssumeRoleWithWebIdentity',
      Version: '2011-06-15',
      RoleArn: roleArn,
      RoleSessionName: sessionName,
      WebIdentityToken: await tokenIn(tokenFile),
    },
    what: `keys of ${roleArn}`,
    clock,
  });
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
    throw accessRefused(`Cannot read the token in AWS_WEB_IDENTITY_TOKEN_FILE: ${messageOf(error)}.`, error);
  }
}

/** The text of an element of XML that occurs once, and whose text needs no decoding. */
const textOf = (xml: string, name: string): string | undefined =>
  new RegExp(`<${name}>\\s*([^<&]+?)\\s*</${name}>`).exec(xml)?.[1];
