/** Whether an ID has the form of the IDs of a team's service accounts, e.g. `ops/ci` for the team `ops`. */
export const isServiceAccountId = (userId: string, teamId: string | null | undefined): boolean =>
  typeof teamId === 'string' && userId.startsWith(`${teamId}/`);
