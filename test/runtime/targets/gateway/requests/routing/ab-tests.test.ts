import { expect, test } from 'vitest';
import type { AbSettings } from '#gateway/requests/routing/ab-settings.ts';
import {
  abTestsOf,
  abTrialOf,
  unitOf,
  variantOf,
  variantWithObjects,
} from '#gateway/requests/routing/ab-tests.ts';

const SETTINGS: AbSettings = {
  baseline: ['openai:current'],
  model: 'other:candidate',
  share: 0.1,
  by: 'user',
  metrics: ['success'],
  judge: undefined,
  user: undefined,
  judgeShare: 0,
  maxScore: 1,
  windowMs: 86_400_000,
  margin: 0.05,
  confidence: 0.95,
  maxRows: 1000,
  retentionMs: undefined,
};
const testOf = (changes: Partial<AbSettings> = {}, alias = 'fast') => {
  const settings = { ...SETTINGS, ...changes };
  return { alias, settings, trial: abTrialOf(alias, settings) };
};
const sender = { user: 'ada', key: undefined, endUser: undefined, session: undefined };
const USERS = Array.from({ length: 20_000 }, (_, at) => unitOf(testOf(), { ...sender, user: `user ${at}` }));

test('the share of the users gets the candidate, and with a larger share, all of them keep it', () => {
  const candidates = (share: number) => USERS.filter((unit) => variantOf(unit, share) === 'candidate');
  const [few, many] = [new Set(candidates(0.1)), new Set(candidates(0.3))];
  expect(few.size / USERS.length).toBeCloseTo(0.1, 2);
  expect(many.size / USERS.length).toBeCloseTo(0.3, 1);
  expect([...few].every((unit) => many.has(unit))).toBe(true);
});

test('a variant is the same in every process', () => {
  expect(unitOf(testOf(), sender)).toBe('9JM2XMoNvcgMIHU0_UIYTvPt0PYwwkxUeA7fxfHouvA');
});

test('the share, the end and the retention are not part of a test’s ID; all other settings are', () => {
  const { id } = testOf().trial;
  for (const same of [{ share: 0.5 }, { maxRows: 5 }, { retentionMs: 5 }])
    expect(testOf(same).trial.id).toBe(id);
  const others: Partial<AbSettings>[] = [
    { model: 'other:better' },
    { baseline: ['openai:other'] },
    { by: 'key' },
    { metrics: ['feedback'] },
    { maxScore: 5 },
    { windowMs: 1 },
    { margin: 0.1 },
    { confidence: 0.9 },
  ];
  const ids = [id, testOf({}, 'slow').trial.id, ...others.map((other) => testOf(other).trial.id)];
  expect(new Set(ids).size).toBe(ids.length);
});

test('units are users, or what a test is by, within their user', () => {
  const one = { user: 'ada', key: 'key-1', endUser: 'person', session: 'session-1' };
  const changes = [{ user: 'bob' }, { key: 'key-2' }, { endUser: 'other' }, { session: 'session-2' }];
  const differs = (by: AbSettings['by']): boolean[] => {
    const ab = testOf({ by });
    return changes.map((change) => unitOf(ab, { ...one, ...change }) !== unitOf(ab, one));
  };
  expect(differs('user')).toEqual([true, false, false, false]);
  expect(differs('key')).toEqual([true, true, false, false]);
  expect(differs('end_user')).toEqual([true, false, true, false]);
  expect(differs('session')).toEqual([true, false, false, true]);
});

test('without tests, requests do not look for one', () => {
  expect(abTestsOf([{ name: 'fast', targets: [] }])).toBeUndefined();
  expect(abTestsOf([{ name: 'fast', targets: [], ab: SETTINGS }])?.get('fast')?.alias).toBe('fast');
});

test('a request that refers to stored objects goes where they are', () => {
  const target = (name: string) => ({ provider: { name } }) as never;
  const [candidate, current] = [target('other'), [target('openai')]];
  const placed = (variant: 'current' | 'candidate', ...providers: string[]) =>
    variantWithObjects(
      variant,
      providers.map((provider) => ({ provider })),
      candidate,
      current,
    );
  expect(placed('candidate', 'openai')).toBe('current');
  expect(placed('candidate', 'other')).toBe('candidate');
  expect(placed('current', 'other')).toBe('candidate');
  expect(placed('current', 'openai')).toBe('current');
  expect(placed('current', 'openai', 'other')).toBe('current');
});
