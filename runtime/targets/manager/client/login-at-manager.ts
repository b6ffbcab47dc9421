import { OAuthFailure } from '#serve/oauth/oauth-failure.ts';
import { UNKNOWN_STATE } from '../sign-in/authorization-response.ts';
import { awaitRedirect, type PersonOptions } from '../sign-in/await-redirect.ts';
import { notSignedIn } from '../sign-in/start-sign-in.ts';
import { apiPath, type ManagerClient } from './manager-client.ts';

/** The manager's response with the state of a sign-in. */
export interface ReportedSignIn {
  readonly issuer?: string;
  readonly scope?: string;
}

/** The caller's sign-in to a server of a running manager. The manager stores the tokens. */
export async function loginAtManager(
  manager: ManagerClient,
  { server, redirectUri: fixed }: { readonly server: string; readonly redirectUri: string | undefined },
  person: PersonOptions,
): Promise<ReportedSignIn> {
  const path = apiPath('servers', server, 'sign-in');
  const start = async (redirectUri: string) => {
    const { authorizationUrl } = (await manager.post(path, { redirectUri })) as { authorizationUrl: string };
    const url = new URL(authorizationUrl);
    return {
      authorizationUrl: url,
      async finish(parameters: URLSearchParams): Promise<ReportedSignIn> {
        if (parameters.get('state') !== url.searchParams.get('state')) {
          throw new OAuthFailure('The redirect has an unknown state and belongs to another sign-in.', {
            code: UNKNOWN_STATE,
          });
        }
        const query = parameters.toString();
        return (await manager.post(`${path}/complete`, { query })) as ReportedSignIn;
      },
    };
  };
  try {
    return await awaitRedirect({ server, fixed, start }, person);
  } catch (error) {
    throw notSignedIn(server, error);
  }
}
