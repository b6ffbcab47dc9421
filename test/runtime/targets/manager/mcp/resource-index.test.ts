import { expect, test } from 'vitest';
import { ANYONE } from '#manager/access/caller.ts';
import { LIST_KINDS } from '#manager/mcp/list-all-servers.ts';
import { createResourceIndex } from '#manager/mcp/resource-index.ts';
import { handClock } from '#test/helpers/hand-clock.ts';

test('a resource that moves to another server without an announcement is found on that server after 30 seconds', async () => {
  const clock = handClock();
  let owner = 'one';
  const index = createResourceIndex(
    (kind) =>
      Promise.resolve(kind === LIST_KINDS.resources ? [{ server: owner, key: 'memo://a', item: {} }] : []),
    clock,
  );
  const call = { caller: ANYONE, requestId: 'test', params: {}, signal: new AbortController().signal };
  expect(await index.owners(call, 'memo://a')).toEqual(['one']);
  owner = 'two';
  clock.pass(29_999);
  expect(await index.owners(call, 'memo://a')).toEqual(['one']);
  clock.pass(1);
  expect(await index.owners(call, 'memo://a')).toEqual(['two']);
});
