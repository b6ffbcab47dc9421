import type { CommandGroup } from '#serve/cli/command.ts';
import { acceptInvitationCommand, declineInvitationCommand } from './answer.ts';
import { listInvitationsCommand } from './list.ts';
import { createInvitationCommand, withdrawInvitationCommand } from './manage.ts';

/** Commands for users without access to the database: they call a running gateway. */
export const INVITATION_COMMANDS: CommandGroup = {
  summary: 'Answer invitations to teams, and manage those of your teams, in a running gateway.',
  commands: {
    list: listInvitationsCommand,
    accept: acceptInvitationCommand,
    decline: declineInvitationCommand,
    create: createInvitationCommand,
    withdraw: withdrawInvitationCommand,
  },
};
