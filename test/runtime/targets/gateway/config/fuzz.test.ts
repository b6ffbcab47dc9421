import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { AppError } from '#contract/errors.ts';
import { read } from './read.ts';

test('any file content is either accepted or rejected with positions, and never reveals a secret', async () => {
  const canary = 'canary-5ecret-value';
  const scalar = fc.oneof(
    fc.constant(canary),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.string({ maxLength: 8 }),
  );
  const key = fc.constantFrom(
    ...'providers encoders aliases pricing guardrails port host openai api_key api_base type headers targets fallbacks'.split(
      ' ',
    ),
    ...'timeouts idle profiles policy labels otel endpoint limits master_key user_limits rpm path url'.split(
      ' ',
    ),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      scalar,
      fc.dictionary(key, tie('value'), { maxKeys: 4 }),
      fc.array(tie('value'), { maxLength: 3 }),
    ),
  }));
  const refused: string[] = [];
  await fc.assert(
    fc.asyncProperty(fc.dictionary(key, value, { maxKeys: 5 }), async (file) => {
      const error = await read(file).then(
        () => undefined,
        (reason: unknown) => AppError.from(reason),
      );
      if (error) refused.push(`${error.code} ${error.message}`);
    }),
    { numRuns: 60 },
  );
  expect(refused.length).toBeGreaterThan(20);
  expect(refused.filter((text) => !/^ConfigError .*(g\.yml:\d+:\d+ {2}|master_key_file)/.test(text))).toEqual(
    [],
  );
  // An alias can have any name, and its target is not a secret.
  const about = refused
    .flatMap((text) => text.split('\n'))
    .filter((line) => /api_key|master_key|headers/.test(line) && !/ {2}aliases\./.test(line));
  expect(about.join('\n')).not.toContain(canary);
});
