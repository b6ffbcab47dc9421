import { expect } from 'vitest';
import { verifiesOnce } from '../verifies.ts';
import { addressOf } from '../service-arms.ts';
import { AS_MASTER } from './config.ts';
import { useGatewayProcesses } from './gateway-process.ts';

const { start, launch } = useGatewayProcesses();
const COUNT = 40_000;
const BYTES = Buffer.from(
  `text,label\n${Array.from({ length: COUNT }, (_, at) => `Row ${at},label${at % 3}\n`).join('')}`,
);
const TUS = { ...AS_MASTER, 'tus-resumable': '1.0.0' };
const base64 = (text: string): string => Buffer.from(text).toString('base64');

const send = (
  url: string,
  offset: number,
  body: Uint8Array<ArrayBuffer> | ReadableStream,
): Promise<Response> =>
  fetch(url, {
    method: 'PATCH',
    body,
    headers: {
      ...TUS,
      'content-type': 'application/offset+octet-stream',
      'upload-offset': String(offset),
    },
    ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
  });

const offsetOf = async (url: string): Promise<number> =>
  Number((await fetch(url, { method: 'HEAD', headers: TUS })).headers.get('upload-offset'));

verifiesOnce('gateway:datasets:upload-resumed', async () => {
  const first = await start({ config: {} });
  const created = await fetch(`${first.url}/api/v1/uploads`, {
    method: 'POST',
    headers: {
      ...TUS,
      'upload-length': String(BYTES.length),
      'upload-metadata': `filename ${base64('rows.csv')},columns ${base64('{"examples":"text","ground_truth":"label"}')}`,
    },
  });
  expect(created.status).toBe(201);
  const location = created.headers.get('location') ?? '';
  // The request is in flight when the gateway is killed.
  const unfinished = new ReadableStream({
    start: (controller) => controller.enqueue(Uint8Array.from(BYTES.subarray(0, 400_000))),
  });
  const broken = send(location, 0, unfinished).catch((error: unknown) => error);
  await expect.poll(() => offsetOf(location)).toBeGreaterThan(0);
  first.child.kill('SIGKILL');
  await first.ended;
  expect(await broken).toBeInstanceOf(Error);

  const url = await addressOf(launch(first.folder, []));
  const again = url + new URL(location).pathname;
  const offset = await offsetOf(again);
  expect([offset > 0, offset <= 400_000]).toEqual([true, true]);
  const done = await send(again, offset, Uint8Array.from(BYTES.subarray(offset)));
  expect([done.status, done.headers.get('upload-offset')]).toEqual([204, String(BYTES.length)]);
  const dataset = done.headers.get('upload-dataset') ?? '';
  const path = `${url}/api/v1/datasets/${dataset}/download?extension=jsonl`;
  const { download_urls } = (await (await fetch(path, { headers: AS_MASTER })).json()) as {
    download_urls: readonly string[];
  };
  const lines = (await (await fetch(download_urls[0] ?? '')).text()).trimEnd().split('\n');
  expect(lines).toHaveLength(COUNT);
  const wrong = lines.findIndex(
    (line, at) => line !== JSON.stringify({ examples: `Row ${at}`, ground_truth: `label${at % 3}` }),
  );
  expect(wrong).toBe(-1);
});
