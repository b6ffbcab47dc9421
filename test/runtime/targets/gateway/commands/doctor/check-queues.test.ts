import { expect, test } from 'vitest';
import { checkQueues } from '#gateway/commands/doctor/check-queues.ts';
import { describeDatabases } from '../../databases.ts';

describeDatabases((database) => {
  test('a note reports keys with a priority whose requests never wait', async () => {
    const { identity, store } = await database.start();
    const { users, keys, teams, organizations } = identity;
    await users.create({ userId: 'ann' });
    await users.create({ userId: 'bob', queueSec: 60 });
    await organizations.create({ id: 'acme', queueSec: 60 });
    await teams.create({ id: 'sales', organizationId: 'acme' });
    const priority = 'high';
    // The requests of these keys wait, or the keys have no priority.
    await keys.create({ userId: 'ann' });
    await keys.create({ userId: 'ann', priority, queueSec: 10 });
    await keys.create({ userId: 'bob', priority });
    await keys.create({ userId: 'ann', teamId: 'sales', priority });
    expect(await checkQueues(store)).toEqual([]);

    const { key: one } = await keys.create({ userId: 'ann', priority });
    expect(await checkQueues(store)).toEqual([
      {
        what: 'queues',
        state: 'note',
        message: `the key ${one.id} has a priority that has no effect, because requests do not wait`,
        wayOut: `Set a queue, e.g. with \`gateway keys update ${one.id} --queue 60\`, or remove the priority with \`--priority none\`.`,
      },
    ]);

    const { key: other } = await keys.create({ userId: 'bob', priority, queueSec: 0 });
    const [first = ''] = [one.id, other.id].toSorted();
    expect(await checkQueues(store)).toMatchObject([
      {
        message: `2 keys have a priority that has no effect, because requests do not wait, for example ${first}`,
      },
    ]);
    await keys.change(one.id, { isActive: false });
    await keys.delete(other.id);
    expect(await checkQueues(store)).toEqual([]);
  });
});
