import { AppError } from '#contract/errors.ts';

/** The error of a call of a user who has not signed in to the server. `page` is where to do it in a browser. */
export function signInRequired(server: string, page?: string): AppError {
  const wayOut = page === undefined ? 'Run' : `Open ${page}, or run`;
  return new AppError(
    'UpstreamError',
    `server ${server} requires your sign-in. ${wayOut} \`mcp-manager login ${server}\`.`,
  );
}
