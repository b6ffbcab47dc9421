import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { BODY_ERRORS } from '#serve/http/openapi/statuses.ts';
import { KEY_ERRORS, noContent } from '../http/operations.ts';
import { me, session, tokenRequest } from './schemas.ts';

export const ME_OPERATION: Operation = {
  method: 'get',
  path: '/v1/me',
  id: 'getMe',
  tag: 'Users',
  summary: 'Get the user, the role and the teams of the caller.',
  answer: answerOf('The caller.', me, {
    user_id: 'ada',
    role: 'member',
    teams: [{ team_id: 'research', role: 'admin' }],
    scope: 'manage',
    expires_at: '2026-01-31T12:00:00Z',
  }),
  errors: KEY_ERRORS,
};

/** Routes for browsers, `/auth/sign-in`, `/auth/callback` and `/auth/consent`, are redirects and a page and not part of the API. */
export const AUTH_OPERATIONS: readonly Operation[] = [
  {
    method: 'post',
    path: '/auth/token',
    id: 'redeemSignInCode',
    tag: 'Sign-in',
    summary: 'Exchange the code of `gateway login` for a key.',
    request: { schema: tokenRequest, examples: { code: { code: 'k3Jd', verifier: 'dBjftJeZ4CVP' } } },
    answer: answerOf('The key of the sign-in.', session, {
      key: 'gw-q1Zt8mEr0FBpKvJ3cYdWnX7hTgLsUoAi5eQk2bMzPVRyNxC4fGHjD6w9SuEtOlIa',
      user_id: 'ada',
      expires_at: '2026-01-31T12:00:00Z',
    }),
    errors: [...BODY_ERRORS, ...KEY_ERRORS],
    open: true,
  },
  {
    method: 'post',
    path: '/auth/sign-out',
    id: 'signOut',
    tag: 'Sign-in',
    summary: 'Delete the key or the session that the request was sent with.',
    answer: noContent('The session has ended.'),
    errors: KEY_ERRORS,
  },
];
