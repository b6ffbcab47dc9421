import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { nullable, type RowOf, type Table, textColumn, textOf } from './define-table.ts';
import { type Owner, type Space, spacesOfUser, type Viewer } from '../shared/owner.ts';

/** Columns of rows that have an owner. */
export const OWNED = {
  /** The user who pays; null for the master key. For display only, because user IDs can be reused. */
  owner: nullable(textColumn),
  /** Who can see the row; null for the master key only. */
  space: nullable(textOf<Space>()),
};

export type OwnedRow = RowOf<Table<typeof OWNED>>;

export const ownedColumns = (owner: Owner | null): OwnedRow => ({
  owner: owner?.userId ?? null,
  space: owner?.space ?? null,
});

export const ownerIn = ({ owner, space }: OwnedRow): Owner | null =>
  owner === null || space === null ? null : { userId: owner, space };

/** SQL condition that a viewer can see a row. */
export function isVisible(viewer: Viewer, column = 'space'): RawBuilder<SqlBool> {
  if (viewer === 'everyone') return sql<SqlBool>`1 = 1`;
  if ('ownerId' in viewer) return isOfUser(viewer.ownerId, column);
  const { spaces } = viewer;
  return spaces.length === 0
    ? sql<SqlBool>`1 = 0`
    : sql<SqlBool>`${sql.ref(column)} in (${sql.join([...spaces])})`;
}

/** SQL condition that a row belongs to a user. Internal IDs contain no `like` wildcards. */
export const isOfUser = (ownerId: string, column = 'space'): RawBuilder<SqlBool> =>
  sql<SqlBool>`${sql.ref(column)} like ${`${spacesOfUser(ownerId)}%`}`;

/** SQL condition that a row belongs to a team's realm, regardless of its creator. */
export const isOfTeam = (teamOwnerId: string, column = 'space'): RawBuilder<SqlBool> =>
  sql<SqlBool>`${sql.ref(column)} like ${`%/team:${teamOwnerId}`}`;
