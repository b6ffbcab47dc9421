import { AppError, messageOf } from '../../../../contract/errors.ts';
import { oauthHttpFor } from '../../sign-in/oauth-http-for.ts';
import { refreshTokens } from '../../sign-in/refresh-tokens.ts';
import { mergeScopes } from '../../sign-in/scopes.ts';
import type { SignInStore, SignInTarget } from '../../sign-in/sign-in-store.ts';
import type { Tokens } from '../../sign-in/sign-in-record.ts';
import type { AccessTokens } from './access-tokens.ts';

export interface PersonTokensOptions {
  readonly store: SignInStore;
  readonly target: SignInTarget;
  readonly issuer: string | undefined;
  readonly timeoutMs: number;
}

/** Time before its expiry after which a token is refreshed. */
const MARGIN_MS = 10_000;

/** The tokens of the person who signed in with `mcp-manager login`. Concurrent callers wait for one refresh. */
export function createPersonTokens({ store, target, issuer, timeoutMs }: PersonTokensOptions): AccessTokens {
  let refreshing: Promise<Tokens | undefined> | undefined;
  const login = `Run \`mcp-manager login ${target.server}\`.`;
  const url = new URL(target.url);

  const refresh = (refused: string): Promise<Tokens | undefined> => {
    refreshing ??= refreshTokens(store, target, refused, () => oauthHttpFor({ url, issuer, timeoutMs }))
      .catch((error: unknown) => {
        const reason = messageOf(error).replace(/\.$/, '');
        throw new AppError('UpstreamError', `The sign-in was not renewed: ${reason}.`, { cause: error });
      })
      .finally(() => (refreshing = undefined));
    return refreshing;
  };
  const required = (): AppError => {
    store.require(target);
    return new AppError('UpstreamError', `The server requires a sign-in. ${login}`);
  };

  return {
    async current() {
      const tokens = store.read(target)?.tokens;
      if (tokens?.expiresAt === undefined || Date.now() < tokens.expiresAt - MARGIN_MS) return tokens?.access;
      try {
        return (await refresh(tokens.access))?.access;
      } catch (error) {
        // The authorization server may be restarting, and the token is still valid for some seconds.
        if (Date.now() < tokens.expiresAt) return tokens.access;
        throw error;
      }
    },
    async renew({ token, status, challenge }) {
      if (status === 403) {
        await rememberScope(store, target, challenge?.scope);
        const scope = challenge?.scope === undefined ? '' : ` (${challenge.scope})`;
        throw new AppError('UpstreamError', `The sign-in lacks permissions of the server${scope}. ${login}`);
      }
      if (token === undefined) {
        // Without a challenge, the server expects something else, such as an API key in a header.
        if (challenge === undefined) return undefined;
        throw required();
      }
      const tokens = await refresh(token);
      if (tokens === undefined || tokens.access === token) throw required();
      return tokens.access;
    },
  };
}

/** Requests the missing scopes with the next sign-in, in addition to those that the person has granted. */
async function rememberScope(
  store: SignInStore,
  target: SignInTarget,
  scope: string | undefined,
): Promise<void> {
  await store.update(target, (current) => {
    const wantedScope = mergeScopes(current?.tokens?.scope, current?.wantedScope, scope);
    const isKnown = current === undefined || wantedScope === undefined || wantedScope === current.wantedScope;
    return Promise.resolve(isKnown ? current : { ...current, wantedScope });
  });
}
