import { readFile } from 'node:fs/promises';
import type { Clock } from '#platform/clock.ts';
import type { Json } from '../../shapes/chat.ts';
import { accessRefused } from './access-refused.ts';
import type { Expiring } from './renewed.ts';
import { requestText, requestToken } from './request-token.ts';
import type { AwsKeys } from './sign-v4.ts';
import { trimEndOf } from '#core/text/trim-text.ts';

/** The server inside a container of ECS or a pod of EKS. */
export interface ContainerSource {
  readonly url: string;
  readonly token: string | undefined;
  /** A file with the token, which changes with time. */
  readonly tokenFile: string | undefined;
}

/** The server answers immediately or does not exist. */
const TIMEOUT_MS = 2000;
const WHAT = 'keys for Amazon';

/** @see https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html */
export async function containerKeys(
  { url, token, tokenFile }: ContainerSource,
  clock: Clock,
): Promise<Expiring<AwsKeys>> {
  const secret = tokenFile === undefined ? token : (await readFile(tokenFile, 'utf8')).trim();
  const headers = secret === undefined ? {} : { authorization: secret };
  return keysIn(
    await requestToken({ method: 'GET', url, headers, timeoutMs: TIMEOUT_MS, what: WHAT, clock }),
  );
}

const ROLES = '/latest/meta-data/iam/security-credentials/';

/** Keys of the role of a machine. @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-metadata-security-credentials.html */
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
  return keysIn(await requestToken({ ...request, method: 'GET', url: base + ROLES + name, headers }));
}

function keysIn({ AccessKeyId, SecretAccessKey, Token, Expiration, Message }: Json): Expiring<AwsKeys> {
  if (typeof AccessKeyId !== 'string' || typeof SecretAccessKey !== 'string')
    throw accessRefused(
      `The metadata have no keys for Amazon${typeof Message === 'string' ? `: ${Message}` : '.'}`,
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
