import { expect, test } from 'vitest';
import { problems } from '../read.ts';

const providers = { openai: { api_key: 'sk-1' } };
const AB = { model: 'openai:candidate', share: 0.5 };
const SHADOW = { ...AB, user: 'evaluation', judge: 'openai:judge' };
const problemsOf = async (alias: object): Promise<string[]> =>
  await problems({ providers, aliases: { fast: { targets: ['openai:current'], ...alias } } });

test.each([
  [{ window: '90d' }, '"90d" is not shorter than the retention (90d)'],
  [{ window: '99999999d' }, '"99999999d" is not shorter than the retention (90d)'],
  [{ retention: '2h' }, '"1d" is not shorter than the retention (2h)'],
])('requests of a user are kept longer than the window: %j', async (settings, problem) => {
  const found = await problemsOf({ ab: { ...AB, ...settings } });
  expect(found).toEqual([
    expect.stringContaining(
      `aliases.fast.ab.window: ${problem}, so no user would be counted; use a shorter window or a longer retention`,
    ),
  ]);
});

test('a window of any length is accepted if requests are kept forever', async () => {
  expect(await problemsOf({ ab: { ...AB, window: '99999999d', retention: 'forever' } })).toEqual([]);
});

test.each([
  ['ab', AB],
  ['shadow', SHADOW],
])('the candidate of `%s` is not the only model of the alias', async (section, settings) => {
  const own = { ...settings, model: 'openai:current' };
  const problem = `aliases.fast.${section}.model: "openai:current" is the alias's only model; choose another candidate`;
  expect(await problemsOf({ [section]: own })).toEqual([expect.stringContaining(problem)]);
  expect(await problemsOf({ [section]: own, fallbacks: ['openai:other'] })).toEqual([]);
});
