import { expect, test } from 'vitest';
import { parseLossless } from '#core/json/lossless-json.ts';
import { openFixture } from './open-recorded.ts';

test('large integers and long decimals are passed unchanged in both directions', async () => {
  const { call } = await openFixture('echo.mjs');
  const sent = '{"value":12345678901234567890,"more":[9007199254740993,0.1234567890123456789,1e400,-0.5]}';
  const result = await call('number', parseLossless(sent) as Record<string, unknown>);
  expect(JSON.stringify(result['structuredContent'])).toBe(sent);
  expect(result['content']).toEqual([{ type: 'text', text: sent }]);
});
