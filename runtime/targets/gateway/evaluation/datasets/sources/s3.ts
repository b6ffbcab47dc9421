import { endpointOf } from './endpoint.ts';
import { createHash } from 'node:crypto';
import { inputError } from '#contract/errors.ts';
import { awsEncode, signV4 } from '../../../providers/adapters/access/sign-v4.ts';
import type { HeadersOf } from './fetcher.ts';
import type { S3Options } from './source.ts';
import { trimEndOf } from '#core/text/trim-text.ts';

const EMPTY_HASH = createHash('sha256').digest('hex');
const DEFAULT_REGION = 'us-east-1';
const REGION = /^[a-z\d](?:[a-z\d-]{0,48}[a-z\d])?$/;

/** The URL of an object, path-style or with the bucket in the host name. Throws an InputError. */
export function s3Url(source: string, { endpoint, region = DEFAULT_REGION, pathStyle }: S3Options): URL {
  const [, bucket, key] = /^s3:\/\/([a-z\d][a-z\d.-]{1,61}[a-z\d])\/(.+)$/.exec(source) ?? [];
  if (bucket === undefined || key === undefined)
    throw inputError(
      `${JSON.stringify(source.slice(0, 200))} is not an object in a bucket. Use s3://bucket/key.`,
    );
  // It becomes part of a host name.
  if (!REGION.test(region))
    throw inputError(
      `s3.region ${JSON.stringify(region.slice(0, 100))} is invalid. Use lowercase letters, digits and hyphens, e.g. eu-central-1.`,
    );
  const base = endpointOf(
    endpoint ?? `https://s3.${region}.amazonaws.com`,
    's3.endpoint',
    'https://minio.example.com',
  );
  const path = key.split('/').map(awsEncode).join('/');
  const prefix = trimEndOf(base.pathname, '/');
  // Bucket names with dots do not match wildcard certificates.
  const isInPath = pathStyle ?? (endpoint !== undefined || bucket.includes('.'));
  const url = isInPath
    ? `${base.origin}${prefix}/${bucket}/${path}`
    : `${base.protocol}//${bucket}.${base.host}${prefix}/${path}`;
  const found = URL.parse(url);
  if (!found)
    throw inputError(
      `${JSON.stringify(source.slice(0, 200))} cannot be turned into a valid URL for this endpoint.`,
    );
  return found;
}

/** Signs requests to an object's host; requests to redirect hosts are not signed. */
export const s3Headers =
  (object: URL, { keys, region = DEFAULT_REGION }: S3Options, now: () => number): HeadersOf =>
  (url) => {
    if (!keys || url.host !== object.host) return {};
    const headers = { 'x-amz-content-sha256': EMPTY_HASH };
    const scope = { keys, region, service: 's3', now: now() };
    return { ...headers, ...signV4({ method: 'GET', url, headers }, scope) };
  };

/** The reason in an XML error. */
export function s3Refusal(url: URL, status: number, body: string): string | undefined {
  const [, code] = /<Code>([\w.-]{1,100})<\/Code>/.exec(body) ?? [];
  if (code === undefined) return undefined;
  const [, region] = /<Region>([\w-]{1,50})<\/Region>/.exec(body) ?? [];
  const remedy = region === undefined ? '' : ` The bucket is in the region ${region}; set \`s3.region\`.`;
  return `${url.host} returned ${code} (status ${status}) for ${url.pathname.slice(0, 200)}.${remedy}`;
}
