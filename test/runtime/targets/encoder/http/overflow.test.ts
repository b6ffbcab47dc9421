import { describe, expect, test } from 'vitest';
import { overflowOf } from '#encoder/predict/predict.ts';
import { useApp } from './open-app.ts';

describe('request settings for long texts', () => {
  test.each([
    [{}, {}],
    [{ truncate: null, truncation_direction: null }, {}],
    [{ truncate: true }, { rule: 'truncate' }],
    [{ truncate: false }, { rule: 'error' }],
    [{ truncate: 'NONE' }, { rule: 'error' }],
    [{ truncate: 'START' }, { rule: 'truncate', side: 'left' }],
    [{ truncate: 'END' }, { rule: 'truncate', side: 'right' }],
    [
      { truncate: 'END', truncation_direction: 'left' },
      { rule: 'truncate', side: 'right' },
    ],
    [{ truncation_direction: 'Left' }, { side: 'left' }],
    [
      { truncate: true, truncation_direction: 'right' },
      { rule: 'truncate', side: 'right' },
    ],
  ] as const)('%j is read as the right rule and side', (members, overflow) => {
    expect(overflowOf(members)).toEqual(overflow);
  });
});

const open = useApp('sentiment');
const START = 'love '.repeat(200);
const END = 'awful '.repeat(200);

async function logits(body: Record<string, unknown>): Promise<[number[], string | null]> {
  const response = await open().post('/predict', body);
  expect(response.status, await response.clone().text()).toBe(200);
  const { results } = (await response.json()) as { results: [{ logits: number[] }] };
  return [results[0].logits, response.headers.get('x-truncated-indexes')];
}

describe('POST /predict with a long text', () => {
  test('truncates on the requested side', async () => {
    const long = [`${START}${END}`];
    const [start] = await logits({ inputs: ['love '.repeat(126)] });
    const [end] = await logits({ inputs: ['awful '.repeat(126)] });
    expect(await logits({ inputs: long })).toEqual([start, '0']);
    expect(await logits({ inputs: long, truncate: 'END' })).toEqual([start, '0']);
    expect(await logits({ inputs: long, truncate: 'START' })).toEqual([end, '0']);
    expect(await logits({ inputs: long, truncate: true, truncation_direction: 'left' })).toEqual([end, '0']);
    expect(await logits({ inputs: long })).toEqual([start, '0']);
  });

  test('is rejected if the request does not allow truncation', async () => {
    const response = await open().post('/predict', { inputs: ['a', START], truncate: false });
    expect([response.status, await response.text()]).toEqual([
      422,
      "Input 1 is too long: it has more than 128 tokens, this model's maximum. Shorten it, or allow truncation in the request.",
    ]);
    const short = await open().post('/predict', { inputs: ['a'], truncate: false });
    expect(short.status).toBe(200);
  });

  test('headers report how many inputs were truncated, and which', async () => {
    const response = await open().post('/predict', { inputs: [START, 'a', END, 'b'] });
    expect(response.headers.get('x-truncated-inputs')).toBe('2');
    expect(response.headers.get('x-truncated-indexes')).toBe('0,2');
    const none = await open().post('/predict', { inputs: ['a'] });
    expect(none.headers.get('x-truncated-inputs')).toBe('0');
    expect(none.headers.has('x-truncated-indexes')).toBe(false);
    const many = await open().post('/predict', { inputs: Array.from({ length: 120 }, () => START) });
    expect(many.headers.get('x-truncated-inputs')).toBe('120');
    expect(many.headers.get('x-truncated-indexes')?.split(',')).toHaveLength(100);
  });

  test('an unknown value is rejected', async () => {
    const response = await open().post('/predict', { inputs: ['a'], truncate: 'end' });
    expect([response.status, await response.text()]).toEqual([
      422,
      'truncate must be one of true, false, NONE, START, END, not "end"',
    ]);
  });
});
