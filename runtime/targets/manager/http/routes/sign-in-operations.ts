import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { BODY_ERRORS } from '#serve/http/openapi/statuses.ts';
import { signedOut, signInBody, signInCompletion, signInStart, startedSignIn } from '../schemas/sign-in.ts';
import { serverName } from './operations.ts';

const SIGN_IN_TAG = 'Sign-in';
const EXAMPLE = {
  server: 'tickets',
  state: 'signed-in',
  isShared: false,
  issuer: 'https://id.example',
  scope: 'read',
  expiresAt: '2026-01-31T12:00:00Z',
};
const common = { tag: SIGN_IN_TAG, parameters: [serverName] };

export const READ_SIGN_IN: Operation = {
  ...common,
  method: 'get',
  path: '/api/v1/servers/{name}/sign-in',
  id: 'getSignIn',
  summary: 'Get the sign-in of the caller to a remote server.',
  description:
    'For servers with `sign_in = "per_user"`, the sign-in is that of the caller. That of other servers is shared by all callers; starting, completing and ending it requires admin permission.',
  answer: answerOf('The sign-in.', signInBody, EXAMPLE),
  errors: [403, 404, 422],
};

export const START_SIGN_IN: Operation = {
  ...common,
  method: 'post',
  path: '/api/v1/servers/{name}/sign-in',
  id: 'startSignIn',
  summary: 'Start a sign-in to a remote server.',
  description: 'Open the URL in a browser. When it returns, complete the sign-in within 10 minutes.',
  request: {
    schema: signInStart,
    examples: { command: { redirectUri: 'http://127.0.0.1:8976/callback' } },
  },
  answer: answerOf('The URL for the browser.', startedSignIn, {
    authorizationUrl: 'https://id.example/authorize?response_type=code&client_id=…',
  }),
  errors: [...BODY_ERRORS, 403, 404, 502],
};

export const COMPLETE_SIGN_IN: Operation = {
  ...common,
  method: 'post',
  path: '/api/v1/servers/{name}/sign-in/complete',
  id: 'completeSignIn',
  summary: 'Complete a sign-in to a remote server.',
  request: { schema: signInCompletion, examples: { query: { query: 'code=…&state=…' } } },
  answer: answerOf('The sign-in.', signInBody, EXAMPLE),
  errors: [...BODY_ERRORS, 403, 404, 502],
};

export const END_SIGN_IN: Operation = {
  ...common,
  method: 'delete',
  path: '/api/v1/servers/{name}/sign-in',
  id: 'endSignIn',
  summary: 'Sign out of a remote server.',
  description: 'Revokes the tokens at the authorization server and deletes them.',
  answer: answerOf('The result.', signedOut, { wasSignedIn: true }),
  errors: [403, 404, 422],
};
