import { afterAll, expect, test } from 'vitest';
import { startFixture } from '../../fixture-provider.ts';
import { chatBody } from '../../test-provider.ts';
import { CHAT } from './fixture-gateway.ts';
import { openRawRequest } from './raw-request.ts';
import { instanceOf, priced, runGateway } from './running-gateway.ts';

/** Long enough to fill the buffers of an unread socket, even on a busy machine. */
const STREAM_MS = 1500;

const openai = await startFixture('openai');
const gateway = await runGateway({
  models: {
    providers: [instanceOf('openai', openai, { limits: { streamMs: STREAM_MS } })],
    pricing: [priced('openai:long', 10, 30)],
  },
});
afterAll(() => gateway.stop());

test.each([
  ['directly', []],
  ['by the app', ['Origin: ']],
])(
  'a request that is handled %s releases its slot after the stream timeout if its client does not read',
  async (how, more) => {
    // Given
    const userId = `user-${how.replace(' ', '-')}`;
    await gateway.user(userId);
    const secret = await gateway.key({ user_id: userId, max_parallel: 1 });
    const body = JSON.stringify(chatBody('openai:long', { stream: true }));
    // When
    const length = `Content-Length: ${Buffer.byteLength(body)}`;
    const socket = await openRawRequest(gateway.url, secret, body, [length, ...more]);
    socket.pause();
    // How the connection closes does not depend on the response.
    socket.on('error', () => undefined);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    expect((await openai.happened('closed', 'long')).complete).toBe(false);
    // Then
    await expect.poll(() => gateway.usage(userId)).toHaveLength(1);
    const [row] = await gateway.usage(userId);
    expect(row).toMatchObject({
      status: 'error',
      error_message: `The response took longer than ${STREAM_MS / 1000} s.`,
    });
    expect(row?.cost).toBeGreaterThan(0);
    await expect.poll(() => gateway.admin('GET', `/v1/users/${userId}`)).toMatchObject({ reserved: 0 });
    const again = async () => (await gateway.post(CHAT, chatBody('openai:good'), secret)).status;
    await expect.poll(again).toBe(200);
    // The data in the socket buffers arrives, and nothing more.
    let text = '';
    socket.on('data', (chunk) => (text = (text + chunk.toString()).slice(-1000)));
    socket.resume();
    await closed;
    expect(text).not.toContain('[DONE]');
    expect(text.endsWith('\r\n0\r\n\r\n')).toBe(false);
  },
);
