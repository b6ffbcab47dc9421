import { lookup } from '#core/values/lookup.ts';
import { AppError, type ErrorCode, messageOf } from '#contract/errors.ts';
import { errorCode } from '#core/values/error-code.ts';
import { type HttpResponse, IDLE } from '../../adapters/http-client.ts';
import { type HubReference, hubReferenceText } from '../../config/hub-reference.ts';
import type { HubSettings } from './settings.ts';
import { didYouMeanCached } from './similar-models.ts';

/** The subject of a request, for messages. */
export interface RequestSubject {
  readonly reference: HubReference;
  /** Path of the requested file; undefined for requests about the repository. */
  readonly path?: string | undefined;
}

type Failure = readonly [code: ErrorCode, message: string];

/** HTTP statuses after which a retry of the same request may succeed. */
const TEMPORARY: ReadonlySet<number> = new Set([408, 425, 500, 502, 503, 504]);

/** Error codes after which a retry may succeed. */
const RETRYABLE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'UnavailableError',
  'OverloadedError',
  'TimeoutError',
]);

/** The reason if a host refuses connections or does not respond. */
export const UNREACHABLE = 'unreachable';

/** Whether the hub was temporarily unable to serve a request, so that a retry may succeed. */
export const isUnavailable = (error: unknown): error is AppError =>
  error instanceof AppError && RETRYABLE.has(error.code);

/** The error for a response with a status of 400 or more. */
export function explainStatus(
  { status, header }: Pick<HttpResponse, 'status' | 'header'>,
  { reference, path }: RequestSubject,
  settings: HubSettings,
): AppError {
  const name = hubReferenceText(reference);
  const { endpoint, token } = settings;
  const fail = ([code, message]: Failure): AppError => new AppError(code, message);
  if (status === 429) {
    const retryAfterSeconds = secondsToWait(header);
    const when = retryAfterSeconds === undefined ? 'later' : `in ${retryAfterSeconds} seconds`;
    return new AppError(
      'OverloadedError',
      `${endpoint} rate-limited a request for ${name}. Retry ${when}${token ? '' : ', or set HF_TOKEN for a higher limit'}.`,
      { retryAfterSeconds },
    );
  }
  if (TEMPORARY.has(status)) {
    return new AppError('UnavailableError', `${endpoint} returned status ${status}. Retry later.`, {
      retryAfterSeconds: secondsToWait(header),
    });
  }
  if (header('x-error-message') === 'Access to this resource is disabled.') {
    return fail(['ForbiddenError', `${endpoint} has disabled access to ${name}. Choose another model.`]);
  }
  const known = KNOWN[header('x-error-code') ?? ''];
  if (known) return fail(known({ name, reference, path, settings }));
  if (status === 401 || status === 403) return fail(denied(name, status, settings));
  if (status === 404) return fail(missingRepository({ name, reference, path, settings }));
  return fail([
    'UpstreamError',
    `${endpoint} returned status ${status} for ${name}. Check HF_ENDPOINT and the proxy variables.`,
  ]);
}

interface Facts extends RequestSubject {
  readonly name: string;
  readonly settings: HubSettings;
}

function missingRepository({ name, reference, settings: { endpoint, token, cache } }: Facts): Failure {
  const end = didYouMeanCached(reference.repository, cache) || '.';
  return [
    'NotFoundError',
    token
      ? `${name} does not exist on ${endpoint}, or the token in ${token.origin} cannot read it${end} Check the name and the token.`
      : `${name} does not exist on ${endpoint}, or it is private${end} Check the name, or set HF_TOKEN.`,
  ];
}

const KNOWN = lookup<(facts: Facts) => Failure>({
  RepoNotFound: missingRepository,
  RevisionNotFound: ({ reference: { repository, revision } }) => [
    'NotFoundError',
    `hf:${repository} has no revision ${JSON.stringify(revision)}. Pass an existing branch, tag or commit.`,
  ],
  EntryNotFound: ({ name, path }) => [
    'NotFoundError',
    `${path ?? 'The file'} is no longer in ${name}. Run the command again.`,
  ],
  GatedRepo: ({ name, reference, settings: { endpoint, token } }) => [
    'ForbiddenError',
    token
      ? `${name} is gated, and the account of the token in ${token.origin} does not have access. Request access at ${endpoint}/${reference.repository}.`
      : `${name} is gated. Request access at ${endpoint}/${reference.repository} and set HF_TOKEN.`,
  ],
});

function denied(name: string, status: number, { endpoint, token }: HubSettings): Failure {
  if (token && status === 401) {
    return [
      'UnauthorizedError',
      `${endpoint} rejected the token in ${token.origin}. Replace it, or remove it for public models.`,
    ];
  }
  const wayOut = token ? `Check the permissions of the token in ${token.origin}` : 'Set HF_TOKEN';
  return ['ForbiddenError', `${endpoint} denied access to ${name} with status ${status}. ${wayOut}.`];
}

/**
 * Seconds to wait before a retry, from the standard header or from the draft header that the hub
 * sends (`"api";r=0;t=55`).
 */
function secondsToWait(header: HttpResponse['header']): number | undefined {
  const after = header('retry-after')?.trim() ?? '';
  if (/^\d{1,6}$/.test(after)) return Number(after);
  const [, seconds] = /;\s*t\s*=\s*(\d{1,6})\b/.exec(header('ratelimit') ?? '') ?? [];
  return seconds === undefined ? undefined : Number(seconds);
}

/** The error for a missing or incomplete response. */
export function explainConnection(
  error: unknown,
  { host, seconds, variable }: { host: string; seconds: number; variable: string },
): unknown {
  if (error instanceof AppError) return error;
  const code = errorCode(error) ?? '';
  const isProxy = code.startsWith('ERR_PROXY');
  const reason = isProxy || NO_CONNECTION.has(code) ? UNREACHABLE : undefined;
  const fail = (kind: ErrorCode, message: string): AppError =>
    new AppError(kind, message, { cause: error, reason });
  if (code === IDLE) {
    return fail(
      'TimeoutError',
      `${host} sent no data for ${seconds} seconds. Retry, or increase ${variable}.`,
    );
  }
  if (isProxy) {
    return fail(
      'UnavailableError',
      `The proxy rejected the connection to ${host} (${messageOf(error)}). Check HTTP_PROXY, HTTPS_PROXY and NO_PROXY.`,
    );
  }
  if (CERTIFICATE.test(code)) {
    return fail(
      'UpstreamError',
      `Cannot verify the certificate of ${host} (${code}). Set NODE_EXTRA_CA_CERTS to a file with the CA certificate.`,
    );
  }
  if (!CONNECTION.test(code)) return error;
  return fail(
    'UnavailableError',
    `The connection to ${host} failed (${code}). Check the network and the proxy variables, or pass --offline to use the cache.`,
  );
}

const NO_CONNECTION: ReadonlySet<string> = new Set([
  IDLE,
  'ENOTFOUND',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
]);
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)/;
const CONNECTION = /^(?:E[A-Z]+|EAI_AGAIN|HPE_\w+|ERR_(?:SSL|TLS|SOCKET|STREAM_PREMATURE)\w*)$/;
