/** Examples of the documentation. */
export const MEMBER = {
  team_id: 'research',
  user_id: 'ada',
  role: 'admin' as const,
  created_at: '2026-01-01T00:00:00Z',
};

export const INVITATION = {
  ...MEMBER,
  invited_by: 'bob',
  expires_at: '2026-01-31T00:00:00Z',
};

export const TEAM_ID = { name: 'team_id', description: 'Team id.', example: 'research' };
