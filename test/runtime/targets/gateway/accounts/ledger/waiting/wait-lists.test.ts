import { expect, test } from 'vitest';
import { AppError } from '#contract/errors.ts';
import { type WaitOutcome, type WaitTerms } from '#gateway/accounts/ledger/waiting/queue-settings.ts';
import { createWaitLists, type Try, type WaitLists } from '#gateway/accounts/ledger/waiting/wait-lists.ts';
import { PRIORITIES, type Priority } from '#gateway/accounts/fields/shared-fields.ts';
import { createTestClock, type TestClock } from '../../../test-clock.ts';

const limited = (): AppError =>
  new AppError('OverloadedError', 'Rate limit exceeded', { reason: 'rate_limited', retryAfterSeconds: 5 });

/** Lets promises settle. */
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
};

interface Bench {
  readonly clock: TestClock;
  readonly lists: WaitLists;
  readonly ended: [Priority, WaitOutcome][];
}

function bench(settings = { maxWaiting: 1000, maxPerUser: 100 }): Bench {
  const clock = createTestClock();
  const ended: [Priority, WaitOutcome][] = [];
  const observer = {
    began: () => undefined,
    ended: (priority: Priority, outcome: WaitOutcome) => void ended.push([priority, outcome]),
  };
  const lists = createWaitLists({
    clock,
    random: () => 0.5,
    settings: () => settings,
    observer,
    pollMs: [500, 1000],
  });
  return { clock, lists, ended };
}

/** A resource with a number of slots. */
function slots(free: number) {
  const resource = { free, tries: 0, used: 0, most: 0 };
  const attempt = (name = 'r') => {
    return async (): Promise<Try<string>> => {
      resource.tries += 1;
      await new Promise(setImmediate);
      if (resource.free === 0) return { resource: name, error: limited() };
      resource.free -= 1;
      resource.used += 1;
      resource.most = Math.max(resource.most, resource.used);
      return { admitted: name };
    };
  };
  const release = (): void => {
    resource.free += 1;
    resource.used -= 1;
  };
  return { resource, attempt, release };
}

const terms = (userId: string, more: Partial<WaitTerms> = {}): WaitTerms => ({
  userId,
  priority: 'normal',
  maxMs: 60_000,
  ...more,
});

const REFUSAL = { resource: 'r', error: limited() };

test('a request is admitted when its resource is freed, or after a while if that happens elsewhere', async () => {
  const { clock, lists, ended } = bench();
  const { resource, attempt, release } = slots(0);
  const wait = (user: string) =>
    lists.wait({ terms: terms(user), signal: undefined, attempt: attempt(), giveBack: release }, REFUSAL);
  const first = wait('ann');
  const second = wait('bob');
  expect(lists.busyAmong(['other', 'r'])).toBe('r');
  resource.free = 1;
  lists.freed(['r']);
  await expect(first).resolves.toEqual({ value: 'r', milliseconds: 0 });
  await settled();
  // Another process frees the resource, which is not reported.
  resource.free = 1;
  clock.advance(750);
  await expect(second).resolves.toEqual({ value: 'r', milliseconds: 750 });
  await settled();
  expect([lists.size(), lists.busyAmong(['r'])]).toEqual([0, undefined]);
  expect(ended).toEqual([
    ['normal', 'admitted'],
    ['normal', 'admitted'],
  ]);
});

test('only one waiting request is tried at a time', async () => {
  const { clock, lists } = bench();
  const { resource, attempt, release } = slots(0);
  const waits = Array.from({ length: 50 }, (_, at) =>
    lists.wait(
      { terms: terms(`user ${at}`), signal: undefined, attempt: attempt(), giveBack: release },
      REFUSAL,
    ),
  );
  for (let poll = 0; poll < 4; poll += 1) {
    clock.advance(1000);
    await settled();
  }
  expect(resource.tries).toBe(4);
  lists.stop(new AppError('UnavailableError', 'Stop.'));
  await Promise.allSettled(waits);
});

test('a request that is not admitted in time gets its error, with the time', async () => {
  const { clock, lists, ended } = bench();
  const { attempt, release } = slots(0);
  const wait = lists.wait(
    { terms: terms('ann', { maxMs: 3000 }), signal: undefined, attempt: attempt(), giveBack: release },
    REFUSAL,
  );
  wait.catch(() => undefined);
  clock.advance(3000);
  await expect(wait).rejects.toMatchObject({
    code: 'OverloadedError',
    reason: 'rate_limited',
    message: 'Rate limit exceeded. The request waited 3 s in the queue.',
  });
  expect([lists.size(), ended]).toEqual([0, [['normal', 'expired']]]);
});

test('a client that disconnects leaves the queue, and gives back what it is admitted to meanwhile', async () => {
  const { lists, ended } = bench();
  const { resource, attempt, release } = slots(0);
  const gone = new AbortController();
  const wait = lists.wait(
    { terms: terms('ann'), signal: gone.signal, attempt: attempt(), giveBack: release },
    REFUSAL,
  );
  wait.catch(() => undefined);
  resource.free = 1;
  lists.freed(['r']);
  gone.abort();
  await expect(wait).rejects.toMatchObject({ code: 'CancelledError' });
  await settled();
  expect([resource.free, resource.used, lists.size()]).toEqual([1, 0, 0]);
  expect(ended).toEqual([['normal', 'left']]);
});

test('queues are limited in total and per user', async () => {
  const { clock, lists, ended } = bench({ maxWaiting: 3, maxPerUser: 2 });
  const { attempt, release } = slots(0);
  const wait = async (user: string) =>
    await lists.wait(
      { terms: terms(user), signal: undefined, attempt: attempt(), giveBack: release },
      REFUSAL,
    );
  const waits = [wait('ann'), wait('ann')];
  await expect(wait('ann')).rejects.toMatchObject({
    reason: 'rate_limited',
    retryAfterSeconds: 5,
    message: 'Rate limit exceeded. The user already has 2 requests in the queue.',
  });
  const displaced = waits.pop()?.catch((error: unknown) => String(error));
  waits.push(wait('bob'), wait('eve'));
  expect(await displaced).toContain('Rate limit exceeded. The queue is full.');
  await expect(wait('zoe')).rejects.toThrow('The queue is full.');
  expect(lists.waiting()).toEqual([{ priority: 'normal', count: 3, since: clock.now() }]);
  lists.stop(new AppError('UnavailableError', 'The server is shutting down.'));
  for (const one of waits) await expect(one).rejects.toThrow('shutting down');
  await expect(wait('eve')).rejects.toThrow('shutting down');
  expect([lists.size(), ended.filter(([, outcome]) => outcome === 'full')]).toEqual([
    0,
    [
      ['normal', 'full'],
      ['normal', 'full'],
      ['normal', 'full'],
    ],
  ]);
});

test('a team that fills the queue with many users gives up places for others, but only until they have as many', async () => {
  const { lists } = bench({ maxWaiting: 6, maxPerUser: 2 });
  const { attempt, release } = slots(0);
  const rejected: string[] = [];
  const wait = (userId: string, teamId?: string): void => {
    const request = { terms: terms(userId, { teamId }), signal: undefined, attempt: attempt() };
    lists.wait({ ...request, giveBack: release }, REFUSAL).catch(({ message }: AppError) => {
      if (message.endsWith('The queue is full.')) rejected.push(userId);
    });
  };
  for (let user = 1; user <= 7; user += 1) wait(`ops/${user}`, 'ops');
  await settled();
  expect(rejected).toEqual(['ops/7']);
  for (const user of ['ann', 'bob']) wait(user);
  wait('it/1', 'it');
  wait('ops/8', 'ops');
  await settled();
  expect(rejected.splice(0).toSorted()).toEqual(['ops/4', 'ops/5', 'ops/6', 'ops/7', 'ops/8']);
  for (let user = 2; user <= 4; user += 1) wait(`it/${user}`, 'it');
  await settled();
  expect(rejected.toSorted()).toEqual(['it/3', 'it/4', 'ops/3']);
  expect(lists.size()).toBe(6);
  lists.stop(new AppError('UnavailableError', 'The server is shutting down.'));
});

test('a request that has to wait for something else does not delay the others', async () => {
  const { clock, lists } = bench();
  const [team, key] = [slots(0), slots(0)];
  const blocked = async (): Promise<Try<string>> =>
    key.resource.free === 0 ? { resource: 'key', error: limited() } : team.attempt('team')();
  const wait = (user: string, attempt: () => Promise<Try<string>>) =>
    lists.wait(
      { terms: terms(user), signal: undefined, attempt, giveBack: () => undefined },
      { resource: 'team' },
    );
  const first = wait('ann', blocked);
  const second = wait('bob', team.attempt('team'));
  team.resource.free = 1;
  lists.freed(['team']);
  await expect(second).resolves.toMatchObject({ value: 'team' });
  await settled();
  expect(lists.busyAmong(['key'])).toBe('key');
  key.resource.free = 1;
  lists.freed(['key']);
  await settled();
  expect(lists.busyAmong(['team'])).toBe('team');
  team.resource.free = 1;
  clock.advance(1000);
  await expect(first).resolves.toMatchObject({ value: 'team' });
});

test('an error of a try ends only its request', async () => {
  const { lists } = bench();
  const { resource, attempt, release } = slots(0);
  const failing = () => Promise.reject(new AppError('ForbiddenError', 'The budget is spent.'));
  const wait = (user: string, tried: () => Promise<Try<string>>) =>
    lists.wait({ terms: terms(user), signal: undefined, attempt: tried, giveBack: release }, REFUSAL);
  const first = wait('ann', failing);
  first.catch(() => undefined);
  const second = wait('bob', attempt());
  resource.free = 1;
  lists.freed(['r']);
  await expect(first).rejects.toThrow('The budget is spent.');
  await expect(second).resolves.toMatchObject({ value: 'r' });
});

/** A generator with a fixed sequence. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

test.each([1, 2, 3])('simulation %i: no lost wakeup, no double grant, no starvation', async (seed) => {
  const random = numbersFrom(seed);
  const { clock, lists } = bench();
  const { resource, attempt, release } = slots(3);
  const done: { readonly priority: Priority; readonly user: string; readonly ms: number }[] = [];
  const left: AbortController[] = [];
  let granted = 0;
  let failed = 0;
  const running: (() => void)[] = [];
  const admit = (one: (typeof done)[number]): (() => void) => {
    granted += 1;
    done.push(one);
    return () => {
      release();
      lists.freed(['r']);
    };
  };
  const ask = (user: string, priority: Priority, gone: AbortController): void => {
    void lists
      .wait(
        {
          terms: terms(user, { priority, maxMs: 1_000_000 }),
          signal: gone.signal,
          attempt: attempt(),
          giveBack: () => {
            release();
            lists.freed(['r']);
          },
        },
        REFUSAL,
      )
      .then(
        ({ milliseconds }) => void running.push(admit({ priority, user, ms: milliseconds })),
        () => void (failed += 1),
      );
  };
  let asked = 0;
  for (let step = 0; step < 400; step += 1) {
    if (random() < 0.6) {
      const gone = new AbortController();
      // One user sends most of the requests.
      const user = random() < 0.7 ? 'greedy' : `user ${Math.floor(random() * 5)}`;
      ask(user, PRIORITIES[Math.floor(random() * 3)] ?? 'low', gone);
      asked += 1;
      if (random() < 0.1) left.push(gone);
    }
    if (random() < 0.1) left.pop()?.abort();
    if (random() < 0.5) running.shift()?.();
    clock.advance(100);
    await new Promise(setImmediate);
    await new Promise(setImmediate);
  }
  for (const gone of left) gone.abort();
  // All requests end once the running ones end, without any further time.
  for (let step = 0; step < 2000 && lists.size() > 0; step += 1) {
    running.shift()?.();
    await settled();
  }
  while (running.length > 0) running.shift()?.();
  await settled();
  expect(lists.size()).toBe(0);
  expect(granted + failed).toBe(asked);
  expect(resource.most).toBeLessThanOrEqual(3);
  expect([resource.free, resource.used]).toEqual([3, 0]);
  const mean = (chosen: typeof done): number => chosen.reduce((sum, { ms }) => sum + ms, 0) / chosen.length;
  const of = (priority: Priority) => mean(done.filter((one) => one.priority === priority));
  expect(of('high')).toBeLessThan(of('low'));
  const others = done.filter(({ user }) => user !== 'greedy');
  expect(mean(others)).toBeLessThan(mean(done.filter(({ user }) => user === 'greedy')));
});
