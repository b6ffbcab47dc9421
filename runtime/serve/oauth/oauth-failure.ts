import { membersOf } from '#core/json/members-of.ts';

/** Maximum length of text from other servers in messages. */
const MAX_SHOWN = 200;

/** The error for a failed OAuth request. The message does not contain tokens, codes or secrets. */
export class OAuthFailure extends Error {
  override readonly name = 'OAuthFailure';
  /** The authorization server's error code, for example `invalid_grant`. */
  readonly code: string | undefined;

  constructor(
    message: string,
    options: { readonly code?: string | undefined; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.code = options.code;
  }
}

/**
 * Describes an authorization server's error response by its code and description. Any other body is
 * not shown, because it can repeat the request, which contains secrets.
 */
export function errorResponseOf(what: string, status: number, body: unknown): OAuthFailure {
  const { error, error_description: description } = membersOf(body);
  const code =
    typeof error === 'string' && /^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/.test(error) ? error : undefined;
  const shown = typeof description === 'string' ? shortened(description) : '';
  const reason =
    code === undefined ? `status ${status}` : [code, shown].filter((part) => part !== '').join(': ');
  return new OAuthFailure(`${what}: ${reason}`, { code });
}

/** Returns text from another server as a single line of limited length. */
export const shortened = (text: string): string =>
  text
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, MAX_SHOWN)
    .replace(/\.$/, '');
