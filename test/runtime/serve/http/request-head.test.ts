import { expect, test } from 'vitest';
import { readBytes } from '#serve/http/body.ts';
import { httpShell } from '#serve/http/shell.ts';
import {
  answersToHeads,
  RAW_CHUNKS,
  sendRaw,
  statusOf,
  VALID_ANSWERS,
} from '../../../helpers/request-heads.ts';
import { testKernel } from '../../../helpers/test-kernel.ts';
import { useListeners } from './listeners.ts';

const listen = useListeners();

/** An app that returns the received request. */
function app() {
  const shell = httpShell(testKernel());
  shell.all('/echo', async (c) => {
    const body = Buffer.from(await readBytes(c, 1000)).toString();
    return c.json({ url: c.req.url, host: c.req.header('host'), body });
  });
  return shell;
}

test('request heads that violate RFC 9112 never reach the app', async () => {
  const { port } = await listen(app());
  expect(await answersToHeads(port)).toEqual(VALID_ANSWERS);
});

test.each(Object.entries(RAW_CHUNKS))('an app receives no body with %s', async (_name, { text, answer }) => {
  const { port } = await listen(app());
  expect(statusOf(await sendRaw(port, text.replace('/healthz', '/echo')))).toBe(String(answer));
});

test.each(['http://shown.example:81/echo?a=b', 'https://shown.example:81/echo?a=b'])(
  'the app receives the host of the target %s instead of the Host header',
  async (target) => {
    const { port } = await listen(app());
    const answer = await sendRaw(port, `GET ${target} HTTP/1.1\r\nHost: hidden\r\nConnection: close\r\n\r\n`);
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({
      url: 'http://shown.example:81/echo?a=b',
      host: 'shown.example:81',
    });
  },
);

test('an invalid request head closes the connection, and the data after it is not parsed as a request', async () => {
  const { port } = await listen(app());
  const valid = 'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab';
  const invalid = 'GET /echo HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n';
  const answer = await sendRaw(port, valid + invalid + valid);
  expect(answer.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
});

test.each(['x', 'gzip', 'identity'])(
  'a request with the transfer coding %s gets one response, and the connection is closed afterwards',
  async (coding) => {
    const { port } = await listen(app());
    const head = `POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: ${coding}\r\n\r\n`;
    const answer = await sendRaw(port, `${head}GET /echo HTTP/1.1\r\nHost: a\r\n\r\n`);
    expect(answer.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 501']);
  },
);

test('a hundred pipelined requests on a connection cause no warning about too many listeners', async () => {
  const { port } = await listen(app());
  const warnings: string[] = [];
  const onWarning = ({ name, message }: Error): void => void warnings.push(`${name}: ${message}`);
  process.on('warning', onWarning);
  const one = 'GET /echo HTTP/1.1\r\nHost: a\r\n';
  const answer = await sendRaw(port, `${`${one}\r\n`.repeat(100)}${one}Connection: close\r\n\r\n`);
  // Node emits warnings in the next tick.
  await new Promise(setImmediate);
  process.off('warning', onWarning);
  expect(answer.match(/HTTP\/1\.1 200/g)).toHaveLength(101);
  expect(warnings).toEqual([]);
});
