import { expect, test } from 'vitest';
import { openMasking } from './open-masking.ts';

test('a buffered response is masked for any API', async () => {
  const { guardrails, masking, rules } = openMasking({});
  const args = JSON.stringify({ to: 'a@b.de', n: 1 });
  const answer = {
    id: 'a@b.de',
    choices: [
      {
        message: {
          content: 'a@b.de',
          tool_calls: [{ id: 'a@b.de', function: { name: 'f', arguments: args } }],
        },
      },
    ],
    n: 9_007_199_254_740_993n,
  };
  const bytes = Buffer.from(
    JSON.stringify(answer, (_key, value: unknown) =>
      typeof value === 'bigint' ? Number(value) : value,
    ).replace('9007199254740992', '9007199254740993'),
  );
  const masked = await guardrails.maskOutput(rules, { bytes, text: `a@b.de${args}` }, masking);
  expect(masked?.text).toBe('[MAIL_1]{"to":"[MAIL_1]","n":1}');
  expect(masked?.verdicts).toMatchObject([{ valid: true, explanation: 'masked: mail 2' }]);
  const text = Buffer.from(masked?.bytes ?? '').toString();
  expect(text).toContain('"n":9007199254740993');
  expect(JSON.parse(text)).toMatchObject({
    id: 'a@b.de',
    choices: [
      {
        message: {
          content: '[MAIL_1]',
          tool_calls: [{ function: { arguments: '{"to":"[MAIL_1]","n":1}' } }],
        },
      },
    ],
  });
  const audio = { bytes: Buffer.from('a@b.de'), type: 'audio/mpeg', text: '' };
  expect((await guardrails.maskOutput(rules, audio, masking))?.bytes).toBe(audio.bytes);
});
