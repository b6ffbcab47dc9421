import { AppError } from '#contract/errors.ts';

/**
 * The target URL of a redirect. A redirect from https to http is rejected, because it would drop
 * encryption.
 */
export function nextUrl(url: URL, location: string): URL {
  const next = URL.canParse(location, url) ? new URL(location, url) : undefined;
  const isAllowed =
    next !== undefined &&
    (next.protocol === 'https:' || (next.protocol === 'http:' && url.protocol === 'http:'));
  if (isAllowed) return next;
  throw new AppError(
    'UpstreamError',
    `${url.host} redirects to ${JSON.stringify(location.slice(0, 200))}, which is not an https URL. Check HF_ENDPOINT and the proxy variables.`,
  );
}

/** Whether a token for `endpoint` can be sent to `url`, because scheme, host and port are the same. */
export const isSameOrigin = (url: URL, endpoint: string): boolean => url.origin === new URL(endpoint).origin;
