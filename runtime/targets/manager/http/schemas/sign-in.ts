import { Type } from 'typebox';
import { oneOf } from '#serve/http/schemas.ts';
import { dateTimeMember, optionalTextMember, struct } from './struct.ts';

export const signInBody = struct(
  'SignIn',
  {
    server: Type.String(),
    state: oneOf(['signed-in', 'required'], { description: 'Whether a sign-in exists.' }),
    isShared: Type.Boolean({ description: 'Whether all callers share the sign-in.' }),
    issuer: optionalTextMember('The authorization server.'),
    scope: optionalTextMember('The granted scopes, separated by spaces.'),
    expiresAt: dateTimeMember('Expiry of the access token, which is renewed earlier if possible.'),
  },
  'The caller’s sign-in to a remote server.',
);

export const signInStart = struct('SignInStart', {
  redirectUri: Type.String({
    description:
      'URL to which the browser is redirected: an `http://` URL with a port on the user’s machine, or the manager’s page `/signed-in`.',
  }),
});

export const startedSignIn = struct('StartedSignIn', {
  authorizationUrl: Type.String({ format: 'uri', description: 'URL for the user’s browser.' }),
});

export const signInCompletion = struct('SignInCompletion', {
  query: Type.String({
    description: 'Query string of the URL to which the browser was redirected, e.g. `code=…&state=…`.',
  }),
});

export const signedOut = struct('SignedOut', {
  wasSignedIn: Type.Boolean({ description: 'Whether a sign-in existed.' }),
  notRevoked: optionalTextMember(
    'Why the authorization server did not revoke the tokens. They are deleted anyway.',
  ),
});
