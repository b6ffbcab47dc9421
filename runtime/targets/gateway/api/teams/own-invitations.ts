import { AppError } from '#contract/errors.ts';
import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import type { Caller } from '../../accounts/identity/identity.ts';
import type { GatewayContext } from '../../context.ts';
import { KEY_ERRORS, noContent } from '../http/operations.ts';
import { type GatewayRoutes, type HttpParts, newRoutes } from '../http/parts.ts';
import { callerOf } from '../sign-in/sign-in.ts';
import { INVITATION, MEMBER, TEAM_ID } from './examples.ts';
import { invitations as invitationList, member } from './schemas.ts';
import { invitationView, memberView } from '../views/accounts.ts';

/** `/v1/me/invitations`: a user joins a team by accepting an invitation. */
export function ownInvitationRoutes(
  { state }: Pick<GatewayContext, 'state'>,
  { guards }: Pick<HttpParts, 'guards'>,
): GatewayRoutes {
  const { invitations } = state.identity;
  const routes = newRoutes();
  routes.get('/v1/me/invitations', guards.anyKey, async (c) =>
    c.json((await invitations.ofUser(answeringUser(callerOf(c)))).map(invitationView)),
  );
  routes.post('/v1/me/invitations/:team/accept', guards.anyKey, async (c) =>
    c.json(memberView(await invitations.accept(c.req.param('team'), answeringUser(callerOf(c))))),
  );
  routes.delete('/v1/me/invitations/:team', guards.anyKey, async (c) => {
    await invitations.delete(c.req.param('team'), answeringUser(callerOf(c)));
    return c.body(null, 204);
  });
  return { routes, operations: OPERATIONS };
}

/** The user who answers invitations. Keys of a team can be those of its administrators, so they do not speak for the user. */
function answeringUser(caller: Caller): string {
  if (caller.kind === 'key' && caller.key.teamId === null && caller.user.teamId === null)
    return caller.user.userId;
  throw new AppError(
    'ForbiddenError',
    'Invitations are answered by the user: with a sign-in, or with an API key that has no team.',
    { reason: 'user_required' },
  );
}

const CREDENTIAL = 'Requires a sign-in of the user, or an API key of the user without a team.';

const OPERATIONS: readonly Operation[] = [
  {
    method: 'get',
    path: '/v1/me/invitations',
    id: 'listOwnInvitations',
    tag: 'Teams',
    summary: 'List the invitations of the caller to teams.',
    description: CREDENTIAL,
    answer: answerOf('The invitations.', invitationList, [INVITATION]),
    errors: KEY_ERRORS,
  },
  {
    method: 'post',
    path: '/v1/me/invitations/{team_id}/accept',
    id: 'acceptInvitation',
    tag: 'Teams',
    summary: 'Accept an invitation, and become a member of the team.',
    description: CREDENTIAL,
    parameters: [TEAM_ID],
    answer: answerOf('The member.', member, MEMBER),
    errors: KEY_ERRORS,
  },
  {
    method: 'delete',
    path: '/v1/me/invitations/{team_id}',
    id: 'declineInvitation',
    tag: 'Teams',
    summary: 'Decline an invitation.',
    description: CREDENTIAL,
    parameters: [TEAM_ID],
    answer: noContent('The invitation is deleted.'),
    errors: KEY_ERRORS,
  },
];
