import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { SignInConfig } from '#gateway/accounts/sign-in/sign-in-config.ts';
import { createSignInFlow } from '#gateway/accounts/sign-in/sign-in-flow.ts';
import { CLIENT, openStandInProvider, type StandInProvider } from '../accounts/sign-in/stand-in-provider.ts';
import type { OpenGateway } from './open-gateway.ts';
import { useOwnGateways } from './use-gateway.ts';

export const PUBLIC_URL = 'http://localhost:8000';
const KEY = Buffer.alloc(32, 7);

interface UsedSignIn {
  /** Reset to the initial values before each test. */
  readonly provider: () => StandInProvider;
  /** Teams that did not exist during sign-in. */
  readonly missing: readonly string[];
  readonly start: (config?: Partial<SignInConfig>) => Promise<OpenGateway>;
}

/** Gateways with sign-in through one provider that all tests of a file share. */
export function useSignIn(): UsedSignIn {
  const open = useOwnGateways();
  let provider: StandInProvider;
  const missing: string[] = [];
  beforeAll(async () => {
    provider = await openStandInProvider();
  });
  afterAll(async () => await provider.close());
  const plain = () => ({ claims: provider.claims, sign: provider.sign });
  let before: ReturnType<typeof plain> | undefined;
  beforeEach(() => {
    before ??= plain();
    Object.assign(provider, before);
    missing.length = 0;
  });
  const start = async (config: Partial<SignInConfig> = {}): Promise<OpenGateway> => {
    const gateway = await open({
      signIn: ({ identity, signInCodes: codes }, clock) =>
        createSignInFlow(
          {
            issuer: provider.issuer,
            ...CLIENT,
            publicUrl: PUBLIC_URL,
            scopes: ['openid'],
            userClaim: 'sub',
            groupsClaim: 'groups',
            createUsers: true,
            sessionMs: 3_600_000,
            groups: [
              { group: 'ops', role: 'admin', team: undefined, teamRole: 'member' },
              { group: 'leads', role: undefined, team: 'research', teamRole: 'admin' },
              { group: 'ghosts', role: undefined, team: 'ghosts', teamRole: 'member' },
            ],
            ...config,
          },
          { identity, codes, clock, key: KEY, onMissingTeam: (team) => void missing.push(team) },
        ),
    });
    // The provider's tokens use this machine's clock.
    gateway.clock.advance(Date.now() - gateway.clock.now());
    await gateway.ask('POST', '/v1/teams', { team_id: 'research' });
    return gateway;
  };
  return { provider: () => provider, missing, start };
}
