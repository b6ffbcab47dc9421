import { messageOf } from '#contract/errors.ts';
import { errorResponseOf } from '#serve/oauth/oauth-failure.ts';
import type { ClientKey, ServerSpec } from '../config/spec.ts';
import { authenticateClient } from './client-authentication.ts';
import { signInLaunch } from './sign-in-launch.ts';
import { oauthHttpFor } from './oauth-http-for.ts';
import type { SignInRecord } from './sign-in-record.ts';
import type { SignInStore } from './sign-in-store.ts';

export interface LoggedOut {
  /** Whether a sign-in existed. */
  readonly wasSignedIn: boolean;
  /** Why the authorization server did not revoke the tokens; undefined if it did, or does not support revocation. */
  readonly notRevoked: string | undefined;
}

/** Revokes a server's tokens and deletes them. They are deleted even if revocation fails. */
export async function logout(
  { name, launch, timeouts }: ServerSpec,
  store: SignInStore,
  user?: string,
): Promise<LoggedOut> {
  const { remote, settings } = signInLaunch(name, launch);
  let record: SignInRecord | undefined;
  await store.update({ server: name, url: remote.url, user }, (current) => {
    record = current;
    return Promise.resolve(undefined);
  });
  await store.announce();
  if (record?.tokens === undefined) return { wasSignedIn: false, notRevoked: undefined };
  try {
    const url = new URL(remote.url);
    await revoke(record, settings.privateKey, () =>
      oauthHttpFor({ url, issuer: settings.issuer, timeoutMs: timeouts.init }),
    );
    return { wasSignedIn: true, notRevoked: undefined };
  } catch (error) {
    return { wasSignedIn: true, notRevoked: messageOf(error) };
  }
}

/** @see https://www.rfc-editor.org/rfc/rfc7009 */
async function revoke(
  { issuer, revocationEndpoint, client, tokens }: SignInRecord,
  privateKey: ClientKey | undefined,
  openHttp: () => ReturnType<typeof oauthHttpFor>,
): Promise<void> {
  if (revocationEndpoint === undefined || tokens === undefined) return;
  const http = await openHttp();
  try {
    for (const [hint, token] of [
      ['refresh_token', tokens.refresh],
      ['access_token', tokens.access],
    ] as const) {
      if (token === undefined) continue;
      const form = new URLSearchParams({ token, token_type_hint: hint });
      const headers = await authenticateClient({ ...client, privateKey }, form, issuer);
      const { status, body } = await http.postForm(revocationEndpoint, form, headers);
      if (status !== 200)
        throw errorResponseOf('The authorization server failed to revoke the token', status, body);
    }
  } finally {
    await http.close();
  }
}
