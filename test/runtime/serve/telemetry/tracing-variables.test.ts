import { expect, test } from 'vitest';
import { tracingSettings, tracingVariables } from '#serve/telemetry/tracing-settings.ts';

test('a child process inherits the collector from its variables, and leaves sampling to its parent', () => {
  const settings = {
    endpoint: 'http://127.0.0.1:4318/v1/traces',
    headers: { authorization: 'Bearer a,b=c%', 'x-key': 'é' },
    serviceName: 'gateway',
    sampled: 1,
  };
  const env = tracingVariables(settings);
  const read = tracingSettings({
    flags: { endpoint: undefined, serviceName: undefined, sampled: undefined },
    variable: (name) => env[name],
    defaultServiceName: 'encoder',
    refuse: () => expect.unreachable(),
    warn: () => expect.unreachable(),
  });
  expect(read).toEqual({ ...settings, serviceName: 'encoder', sampled: 0 });
});
