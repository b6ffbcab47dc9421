import { messageOf } from '#contract/errors.ts';
import { systemClock } from '#platform/clock.ts';
import { type Finding, ok, problemFinding } from '#serve/cli/doctor/finding.ts';
import { createSignInProvider } from '../../accounts/sign-in/provider.ts';
import type { SignInConfig } from '../../accounts/sign-in/sign-in-config.ts';

const SUBJECT = 'sign-in';

/** Checks that the sign-in provider has metadata and keys. Whether it knows the client only shows during a sign-in. */
export async function checkSignIn(config: SignInConfig | undefined): Promise<Finding[]> {
  if (!config) return [];
  const { issuer, publicUrl } = config;
  const provider = createSignInProvider({ ...config, redirectUri: publicUrl }, systemClock);
  try {
    const keys = await provider.check();
    if (keys > 0) return [ok(SUBJECT, `${issuer} is reachable, ${keys} key${keys === 1 ? '' : 's'}`)];
    return [problemFinding(SUBJECT, `${issuer} has no keys for verifying ID tokens`, REMEDY)];
  } catch (error) {
    return [problemFinding(SUBJECT, messageOf(error).replace(/\.$/, ''), REMEDY)];
  } finally {
    await provider.close();
  }
}

const REMEDY = 'Check `sign_in.issuer`, whether the provider is running, and the network.';
