import { Type } from 'typebox';
import { oneOf } from '#serve/http/schemas.ts';
import { dateTimeMember, optionalTextMember, struct } from './struct.ts';

export const signInBody = struct(
  'SignIn',
  {
    server: Type.String(),
    state: oneOf(['signed-in', 'required'], { description: 'Whether there is a sign-in.' }),
    isShared: Type.Boolean({ description: 'Whether all callers share the sign-in.' }),
    issuer: optionalTextMember('The authorization server.'),
    scope: optionalTextMember('The granted scopes, separated by spaces.'),
    expiresAt: dateTimeMember('When the access token expires. It is renewed before that if possible.'),
  },
  'The caller’s sign-in to a remote server.',
);

export const signInStart = struct('SignInStart', {
  redirectUri: Type.String({
    description:
      'URL to which the browser returns: an `http://` URL with a port on the user’s machine, or the manager’s page `/signed-in`.',
  }),
});

export const startedSignIn = struct('StartedSignIn', {
  authorizationUrl: Type.String({ format: 'uri', description: 'URL for the user’s browser.' }),
});

export const signInCompletion = struct('SignInCompletion', {
  query: Type.String({
    description: 'Query of the URL to which the browser returned, e.g. `code=…&state=…`.',
  }),
});

export const signedOut = struct('SignedOut', {
  wasSignedIn: Type.Boolean({ description: 'Whether there was a sign-in.' }),
  notRevoked: optionalTextMember(
    'Why the authorization server did not revoke the tokens, which are deleted anyway.',
  ),
});
