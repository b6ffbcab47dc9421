import { afterAll, expect, test } from 'vitest';
import { openGateway } from './open-gateway.ts';

const gateway = await openGateway();
afterAll(() => gateway.close());

test.each([
  ['interval=day&time_zone=Mars', /^"Mars" is not a time zone\. Use a name such as Europe\/Berlin/],
  ['time_zone=UTC', /^time_zone requires interval\. Set interval, or omit time_zone\.$/],
])('%s returns 422', async (query, detail) => {
  const { status, body } = await gateway.ask('GET', `/v1/usage?${query}`);
  expect([status, body.error.param, body.detail]).toEqual([422, 'time_zone', expect.stringMatching(detail)]);
});

test('a time zone applies to intervals of hours, days and months', async () => {
  for (const interval of ['minute', 'hour', 'day', 'month']) {
    const { status, body } = await gateway.ask('GET', `/v1/usage?interval=${interval}&time_zone=Asia/Tokyo`);
    expect([status, body.series]).toEqual([200, []]);
  }
});
