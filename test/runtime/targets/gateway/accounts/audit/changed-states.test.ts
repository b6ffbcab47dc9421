import { expect, test } from 'vitest';
import { changedStates } from '#gateway/store/audit/changed-states.ts';
import { createEventIds } from '#gateway/store/audit/event-ids.ts';

const key = {
  id: 'k',
  keyName: 'ci',
  expiresAt: 1_767_225_600_000,
  lastUsedAt: 1,
  spent: 5n,
  budget: { maxBudget: 2_500_000_000n, budgetDurationSec: 60 },
  metadata: { api_key: 'sk-1', nested: [{ password: 'p', note: 'n' }], maxTokens: 4 },
  description: undefined,
};

test("the state of a created or deleted object is recorded under the API's field names, without secrets or spending", () => {
  const state = {
    id: 'k',
    key_name: 'ci',
    expires_at: '2026-01-01T00:00:00Z',
    budget: { max_budget: 2.5, budget_duration_sec: 60 },
    metadata: { api_key: '[redacted]', nested: [{ password: '[redacted]', note: 'n' }], maxTokens: 4 },
  };
  const created = changedStates(undefined, key);
  expect(created.before).toBeNull();
  expect(JSON.parse(created.after ?? '')).toEqual(state);
  const deleted = changedStates(key, undefined);
  expect([JSON.parse(deleted.before ?? ''), deleted.after]).toEqual([state, null]);
});

test('an update records only the fields that changed', () => {
  const after = { ...key, keyName: null, spent: 7n, lastUsedAt: 2, budget: { ...key.budget } };
  expect(changedStates(key, after)).toEqual({ before: '{"key_name":"ci"}', after: '{"key_name":null}' });
  expect(changedStates(key, key)).toEqual({ before: '{}', after: '{}' });
});

test('a state longer than 65,536 characters is omitted, and a lone surrogate is escaped', () => {
  const long = changedStates(undefined, { name: 'x'.repeat(70_000) });
  expect(long.after).toBe('{"omitted":"longer than 65536 characters"}');
  expect(changedStates(undefined, { name: '\ud800' }).after).toBe(String.raw`{"name":"\ud800"}`);
});

test('event IDs are version 7 UUIDs that sort in creation order, even within one millisecond and after the clock is set back', () => {
  const next = createEventIds();
  const times = [...Array.from({ length: 5000 }, () => 1_767_225_600_000), 1_767_225_599_000];
  const ids = times.map(next);
  expect(ids).toEqual(ids.toSorted());
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids[0]).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
});
