import { sql } from 'kysely';
import { type Finding, note } from '#serve/cli/doctor/finding.ts';
import type { Store } from '../../store/store.ts';

/**
 * Reports priorities without an effect: those of keys whose requests never wait, because neither the key nor
 * its user, team or organization has a queue, or because the first one that has a setting disables it.
 */
export async function checkQueues({ db }: Pick<Store, 'db'>): Promise<Finding[]> {
  const { rows } = await sql<{ readonly id: string; readonly total: number | string }>`
    select k.id as id, count(*) over () as total
    from gateway_keys k
      left join gateway_users u on u.user_id = k.user_id
      left join gateway_groups t on t.kind = 'team' and t.id = k.team_id
      left join gateway_groups o on o.kind = 'org' and o.id = t.parent_id
    where k.priority is not null and k.is_active = 1
      and coalesce(k.queue_sec, u.queue_sec, t.queue_sec, o.queue_sec, 0) = 0
    order by k.id limit 1`.execute(db);
  const [first] = rows;
  if (!first) return [];
  const total = Number(first.total);
  const subject = total === 1 ? `the key ${first.id} has` : `${total} keys have`;
  const example = total === 1 ? '' : `, for example ${first.id}`;
  const message = `${subject} a priority that has no effect, because requests do not wait${example}`;
  const wayOut = `Set a queue, e.g. with \`gateway keys update ${first.id} --queue 60\`, or remove the priority with \`--priority none\`.`;
  return [{ ...note('queues', message), wayOut }];
}
