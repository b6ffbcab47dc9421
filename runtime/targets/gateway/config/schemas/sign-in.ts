import { type Static, Type } from 'typebox';
import { TEAM_ROLES } from '../../accounts/identity/groups-api.ts';
import { USER_ROLES } from '../../accounts/fields/users.ts';
import { choice, durationSetting, flagSetting, keys, listSetting, mapOf, textSetting } from './shapes.ts';

export const group = keys(
  {
    role: choice(USER_ROLES, 'Role of the users in this group.'),
    team: textSetting('Team of the users in this group.'),
    team_role: choice(TEAM_ROLES, 'Role in the team.', 'member'),
  },
  'The gateway role or team for a provider group.',
);

export const signIn = keys(
  {
    issuer: Type.String({
      minLength: 1,
      description: 'Issuer of the provider, e.g. https://login.example.com/realms/acme.',
    }),
    client_id: Type.String({ minLength: 1, description: 'Client ID of the gateway at the provider.' }),
    client_secret: textSetting('Client secret. Omit it for a public client. PKCE is always used.'),
    public_url: Type.String({
      minLength: 1,
      description:
        'URL at which browsers reach the gateway. The redirect URI to register at the provider is <public_url>/auth/callback.',
    }),
    scopes: listSetting('Scopes to request.', ['openid', 'profile', 'email']),
    user_claim: textSetting('ID token claim with the user ID.', 'sub'),
    groups_claim: textSetting('ID token claim with the user’s groups.', 'groups'),
    create_users: flagSetting(
      'Create users at their first sign-in. Otherwise, only existing users can sign in.',
      false,
    ),
    session: durationSetting('How long a sign-in is valid.', '12h'),
    groups: mapOf<Static<typeof group>>(group, 'Roles and teams by group of the provider.'),
  },
  'Sign-in with OpenID Connect.',
);
