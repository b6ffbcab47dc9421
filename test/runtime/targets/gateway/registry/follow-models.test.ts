import { expect, test } from 'vitest';
import type { StoredEntries } from '#gateway/accounts/registry/model-entries.ts';
import type { ModelsConfig } from '#gateway/requests/models/models-config.ts';
import { type FileModels, followModels } from '#gateway/registry/follow-models.ts';

/** A configuration whose models only have the names of their file and their entries. */
const fileOf = (name: string): FileModels => {
  const models = { aliases: [{ name, targets: [] }], providers: [] } as unknown as ModelsConfig;
  return {
    models,
    withStored: ({ aliases }) => ({
      models: {
        ...models,
        aliases: [...models.aliases, ...aliases.map((one) => ({ name: one.name, targets: [] }))],
      },
      providers: new Map(),
      aliases: new Map(),
      secrets: [],
    }),
  };
};
const entriesOf = (...names: string[]): StoredEntries => ({
  providers: [],
  aliases: names.map((name) => ({ name, settings: {}, createdAt: 0, updatedAt: 0 })),
});

function setUp() {
  const state = { revision: 1, stored: entriesOf(), reads: 0 };
  const applied: string[] = [];
  const errors: unknown[] = [];
  let pending: PromiseWithResolvers<undefined> | undefined;
  let failure: Error | undefined;
  const follower = followModels(fileOf('a'), {
    entries: {
      revision: () => state.revision,
      async read() {
        state.reads += 1;
        await pending?.promise;
        if (failure) throw failure;
        return state.stored;
      },
      change: () => Promise.reject(new Error('unused')),
    },
    apply(models) {
      if (models.aliases.some(({ name }) => name === 'bad')) throw new Error('bad entry');
      applied.push(models.aliases.map(({ name }) => name).join(' '));
    },
    learn: () => undefined,
    onProblem: () => undefined,
    onError: (error) => errors.push(error),
  });
  const store = (...names: string[]): void => {
    state.revision += 1;
    state.stored = entriesOf(...names);
  };
  return {
    follower,
    applied,
    errors,
    state,
    store,
    hold: () => (pending = Promise.withResolvers<undefined>()),
    fail: (error: Error | undefined) => (failure = error),
  };
}

test('stored entries are read only once per revision, and applied only if they have changed', async () => {
  const { follower, applied, state, store } = setUp();
  await follower.sync();
  expect(follower.refresh()).toBeUndefined();
  store('x');
  await Promise.all([follower.refresh(), follower.refresh(), follower.refresh()]);
  expect(follower.refresh()).toBeUndefined();
  // A change of something else, for example a key.
  state.revision += 1;
  await follower.refresh();
  expect([state.reads, applied]).toEqual([3, ['a x']]);
});

test('if the file is reloaded while stored entries are read, both changes are applied', async () => {
  const { follower, applied, store, hold } = setUp();
  await follower.sync();
  store('x');
  const held = hold();
  const refreshed = follower.refresh();
  follower.replaceFile(fileOf('b'));
  held.resolve(undefined);
  await refreshed;
  expect(applied).toEqual(['b', 'b x']);
});

test('a change made while older entries are read is applied when `sync` completes', async () => {
  const { follower, applied, store, hold } = setUp();
  const held = hold();
  const older = follower.refresh();
  store('x', 'y');
  const synced = follower.sync();
  held.resolve(undefined);
  await Promise.all([older, synced]);
  expect(applied.at(-1)).toBe('a x y');
  expect(follower.refresh()).toBeUndefined();
});

test('if the database fails, the models stay unchanged and the next refresh reads the entries again', async () => {
  const { follower, applied, errors, store, fail } = setUp();
  store('x');
  fail(new Error('down'));
  await follower.refresh();
  expect([applied, errors]).toEqual([[], [new Error('down')]]);
  await expect(follower.sync()).rejects.toThrow('down');
  fail(undefined);
  await follower.refresh();
  expect(applied).toEqual(['a x']);
});

test('stored entries that cannot be applied are reported once and have no effect', async () => {
  const { follower, applied, errors, store } = setUp();
  store('bad');
  await follower.refresh();
  expect(follower.refresh()).toBeUndefined();
  expect([applied, errors]).toEqual([[], [new Error('bad entry')]]);
  store('good');
  await follower.refresh();
  follower.replaceFile(fileOf('b'));
  expect(applied).toEqual(['a good', 'b good']);
});
