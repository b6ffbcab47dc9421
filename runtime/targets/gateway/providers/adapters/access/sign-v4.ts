import { createHash, createHmac } from 'node:crypto';

/** Amazon keys. Temporary ones have a session token. */
export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

export interface SignedRequest {
  readonly method: string;
  /** The URL as sent. */
  readonly url: URL;
  /** Headers to sign in addition to `host` and the dates. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: Uint8Array | readonly Uint8Array[] | undefined;
}

export interface SigningScope {
  readonly keys: AwsKeys;
  readonly region: string;
  readonly service: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';

/**
 * Signs a request with Signature Version 4. Returns the headers to add.
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function signV4(
  { method, url, headers = {}, body = [] }: SignedRequest,
  { keys, region, service, now }: SigningScope,
): Record<string, string> {
  const time = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const date = time.slice(0, 8);
  const added = {
    'x-amz-date': time,
    ...(keys.sessionToken !== undefined && { 'x-amz-security-token': keys.sessionToken }),
  };
  const signed = Object.entries({ ...headers, ...added, host: url.host })
    .map(([name, value]) => [name.toLowerCase(), value.trim().replaceAll(/ +/g, ' ')] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  const names = signed.map(([name]) => name).join(';');
  const canonical = [
    method,
    // S3 is the only service that expects the path exactly as sent.
    service === 's3' ? url.pathname : canonicalPath(url.pathname),
    canonicalQuery(url.search),
    ...signed.map(([name, value]) => `${name}:${value}`),
    '',
    names,
    hashOf(body instanceof Uint8Array ? [body] : body),
  ].join('\n');
  const scope = `${date}/${region}/${service}/aws4_request`;
  const text = [ALGORITHM, time, scope, hashOf([canonical])].join('\n');
  const key = [date, region, service, 'aws4_request'].reduce<string | Buffer>(
    (secret, part) => hmac(secret, part),
    `AWS4${keys.secretAccessKey}`,
  );
  const signature = hmac(key, text).toString('hex');
  const credential = `Credential=${keys.accessKeyId}/${scope}`;
  return {
    ...added,
    authorization: `${ALGORITHM} ${credential}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

function hashOf(pieces: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** Encodes everything except unreserved characters. */
export const awsEncode = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** The path as sent, URL-encoded once more. */
const canonicalPath = (path: string): string => path.split('/').map(awsEncode).join('/');

function canonicalQuery(search: string): string {
  const pairs = search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [name = '', value = ''] = pair.split('=', 2);
      return [awsEncode(decodeURIComponent(name)), awsEncode(decodeURIComponent(value))] as const;
    });
  return pairs
    .toSorted(([name, value], [otherName, otherValue]) =>
      name === otherName ? compare(value, otherValue) : compare(name, otherName),
    )
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
