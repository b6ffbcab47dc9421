import { AppError } from '#contract/errors.ts';
import { answerOf, noContent } from '#serve/http/openapi/describe.ts';
import type { Route } from '#serve/http/route.ts';
import type { Caller } from '../accounts/identity/identity.ts';
import type { GatewayContext } from '../context.ts';
import { callerOf } from './guards.ts';
import type { HttpParts } from './http/parts.ts';
import { invitationList, member } from './teams-schemas.ts';
import { INVITATION, MEMBER, TEAM_ID } from './teams.ts';
import { invitationView, memberView } from './views/accounts.ts';

/** `/v1/me/invitations`: lets a user join a team by accepting an invitation. */
export function ownInvitationRoutes(
  { state }: Pick<GatewayContext, 'state'>,
  { guards, route }: HttpParts,
): readonly Route[] {
  const { invitations } = state.identity;

  return [
    route({
      method: 'get',
      path: '/v1/me/invitations',
      guard: guards.anyKey,
      id: 'listOwnInvitations',
      tag: 'Teams',
      summary: 'List the caller’s team invitations.',
      description: CREDENTIAL,
      answer: answerOf('The invitations.', invitationList, [INVITATION]),
      run: async (c) => (await invitations.ofUser(answeringUser(callerOf(c)))).map(invitationView),
    }),
    route({
      method: 'post',
      path: '/v1/me/invitations/:team/accept',
      isRepeatable: true,
      guard: guards.anyKey,
      id: 'acceptInvitation',
      tag: 'Teams',
      summary: 'Accept an invitation and join the team.',
      description: CREDENTIAL,
      parameters: [TEAM_ID],
      answer: answerOf('The member.', member, MEMBER),
      run: async (c) => memberView(await invitations.accept(c.req.param('team'), answeringUser(callerOf(c)))),
    }),
    route({
      method: 'delete',
      path: '/v1/me/invitations/:team',
      guard: guards.anyKey,
      id: 'declineInvitation',
      tag: 'Teams',
      summary: 'Decline an invitation.',
      description: CREDENTIAL,
      parameters: [TEAM_ID],
      answer: noContent('The invitation is deleted.'),
      run: async (c) => {
        await invitations.delete(c.req.param('team'), answeringUser(callerOf(c)));
      },
    }),
  ];
}

/**
 * The user who responds to invitations. Team administrators may use team keys, so responses are not
 * accepted with team keys.
 */
function answeringUser(caller: Caller): string {
  if (caller.kind === 'key' && caller.key.teamId === null && caller.user.teamId === null)
    return caller.user.userId;
  throw new AppError(
    'ForbiddenError',
    'Only the invited user can respond to an invitation. Use a sign-in, or an API key that has no team.',
    { reason: 'user_required' },
  );
}

const CREDENTIAL = 'Requires the user’s sign-in, or one of the user’s API keys that has no team.';
