import { configError } from '#contract/errors.ts';
import type { RemoteLaunch, ServerSpec, SignInSettings } from '../config/spec.ts';

/** Returns a specification's remote server with its user sign-in settings. Throws a ConfigError for other servers. */
export function signInLaunch(
  name: string,
  launch: ServerSpec['launch'],
): { readonly remote: RemoteLaunch; readonly settings: SignInSettings } {
  if (launch.kind === 'unusable') throw configError(`Server ${name}: ${launch.problem}`);
  if (launch.kind !== 'remote') {
    throw configError(
      `Server ${name} is a program on this machine. Only servers with a url support sign-in.`,
    );
  }
  if (launch.api && !launch.oauth) {
    throw configError(
      `Server ${name} has no sign-in settings. Add [servers.oauth] with an issuer, or set its credentials.`,
    );
  }
  const settings = launch.oauth ?? { grant: 'authorization_code' };
  if (settings.grant === 'authorization_code') return { remote: launch, settings };
  throw configError(
    `Server ${name} uses ${settings.grant}, which does not require a user to sign in. To sign in as a user, set oauth.grant = "authorization_code".`,
  );
}
