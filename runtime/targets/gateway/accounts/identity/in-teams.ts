import { type Expression, sql } from 'kysely';

/** SQL condition that a column has one of these IDs; false for an empty list, which SQL does not allow after `in`. */
export const inTeams = (column: Expression<string | null>, teamIds: readonly string[]) =>
  teamIds.length === 0 ? sql<boolean>`1 = 0` : sql<boolean>`${column} in (${sql.join([...teamIds])})`;
