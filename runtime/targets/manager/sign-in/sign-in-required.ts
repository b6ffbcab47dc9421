import { AppError } from '#contract/errors.ts';

/**
 * The error for a call by a user who has not signed in to the server. `page` is the URL for signing in with a
 * browser.
 */
export function signInRequired(server: string, page?: string): AppError {
  const wayOut = page === undefined ? 'Run' : `Open ${page}, or run`;
  return new AppError(
    'UpstreamError',
    `server ${server} requires your sign-in. ${wayOut} \`mcp-manager login ${server}\`.`,
  );
}
