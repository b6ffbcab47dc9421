import { expect, test } from 'vitest';
import {
  closeFrame,
  createFrameReader,
  createTextJoiner,
  OPCODE,
  writeFrame,
} from '#gateway/requests/realtime/frames.ts';

test('frames of every length are read, in chunks of every size', () => {
  const payloads = [0, 1, 125, 126, 65_535, 65_536].map((length) => Buffer.alloc(length, 'x'));
  const all = Buffer.concat(payloads.map((payload) => writeFrame(OPCODE.binary, payload)));
  for (const size of [1, 7, 1000, all.length]) {
    const reader = createFrameReader(1_000_000);
    const found: number[] = [];
    for (let at = 0; at < all.length; at += size)
      for (const { payload } of reader.push(all.subarray(at, at + size))) found.push(payload.length);
    expect(found).toEqual(payloads.map(({ length }) => length));
  }
});

test('masked frames from RFC 6455 section 5.7 and fragmented messages are read', () => {
  const reader = createFrameReader(100);
  const [hello] = reader.push(Buffer.from('818537fa213d7f9f4d5158', 'hex'));
  expect(hello).toMatchObject({ opcode: OPCODE.text, isLast: true, payload: Buffer.from('Hello') });
  const join = createTextJoiner();
  const parts = reader.push(Buffer.from('010348656c890080026c6f', 'hex'));
  expect(parts.map((frame) => join(frame))).toEqual([undefined, undefined, 'Hello']);
});

test('an oversized frame is rejected before it has arrived', () => {
  const reader = createFrameReader(100);
  expect(() => reader.push(writeFrame(OPCODE.text, Buffer.alloc(200)).subarray(0, 4))).toThrow(
    'has 204 bytes',
  );
});

test('a close frame has a code and a short reason', () => {
  expect(closeFrame(1008, 'y'.repeat(300))).toHaveLength(2 + 125);
});
