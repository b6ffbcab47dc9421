import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { signV4 } from '#gateway/providers/adapters/access/sign-v4.ts';
import { FIXTURES } from '#test/helpers/paths.ts';

interface Golden {
  readonly now: string;
  readonly secret: string;
  readonly requests: readonly {
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    readonly service: string;
    readonly token: string | null;
    readonly authorization: string;
  }[];
}

const golden = JSON.parse(readFileSync(join(FIXTURES, 'golden/amazon.json'), 'utf8')) as Golden;
/** Signatures from Amazon's published test suite for Signature Version 4. */
const PUBLISHED = [
  '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
  'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
];

test("signatures match those of Amazon's own client and test suite", () => {
  const signed = golden.requests.map(({ method, url, headers, body, service, token }) =>
    signV4(
      { method, url: new URL(url), headers, body: Buffer.from(body) },
      {
        keys: {
          accessKeyId: 'AKIDEXAMPLE',
          secretAccessKey: golden.secret,
          sessionToken: token ?? undefined,
        },
        region: 'us-east-1',
        service,
        now: Date.parse(golden.now),
      },
    ),
  );
  expect(signed.map(({ authorization }) => authorization)).toEqual(
    golden.requests.map(({ authorization }) => authorization),
  );
  expect(signed.slice(0, 3).map(({ authorization }) => authorization?.slice(-64))).toEqual(PUBLISHED);
  expect(signed[6]).toMatchObject({
    'x-amz-date': '20150830T123600Z',
    'x-amz-security-token': 'token/+=',
  });
});
