import { Type } from 'typebox';
import { TEAM_ROLES } from '../../accounts/identity/groups-api.ts';
import { USER_ROLES } from '../../accounts/identity/identity.ts';
import { closed, oneOf, orNull } from '#serve/http/schemas.ts';
import { nonEmptyText, timeOrNull } from '../http/fields.ts';

export const tokenRequest = closed('SignInCode', {
  code: nonEmptyText('Code that the browser brought to the command.', 4096),
  verifier: nonEmptyText('PKCE verifier of the command.'),
});

export const session = closed('SignInSession', {
  key: Type.String({ description: 'Key with the scope `manage`, which is returned only once.' }),
  user_id: Type.String(),
  expires_at: timeOrNull('Expiry of the key.'),
});

export const me = closed('Me', {
  user_id: orNull(Type.String({ description: 'Null for the master key.' })),
  role: oneOf(USER_ROLES),
  teams: Type.Array(closed('OwnTeam', { team_id: Type.String(), role: oneOf(TEAM_ROLES) }), {
    description: 'Teams of the user.',
  }),
  scope: oneOf(['master', 'models', 'manage'], { description: 'Purpose of the credential.' }),
  expires_at: timeOrNull('Expiry of the credential.'),
});
