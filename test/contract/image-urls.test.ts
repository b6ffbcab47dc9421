import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { builtExecutable } from '../helpers/built.ts';
import { SHAPES } from '../helpers/golden-shapes.ts';
import { localHttp } from '../helpers/local-http.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { runExecutable } from './arms.ts';
import { TRANSPORTS } from './clients.ts';
import { shareServers } from './shared-servers.ts';
import { verifiesOnce, verifiesServed } from './verifies.ts';

const folder = useTempFolder();
const serve = shareServers();

verifiesOnce('images:urls', async () => {
  const { url, seen } = await localHttp(({ url: path }, response) => {
    const image = SHAPES.find(({ name }) => `/${name}` === path)?.bytes;
    // The type of a file is determined by its bytes, not by its header.
    if (image) response.setHeader('content-type', 'text/html').end(image);
    else if (path === '/away') response.writeHead(302, { location: 'http://169.254.169.254/' }).end();
    else if (path === '/text') response.setHeader('content-type', 'image/png').end('a text');
    else response.writeHead(404).end();
  });
  const { host } = new URL(url);
  const [first, second] = SHAPES;
  if (!first || !second) throw new Error('two shapes');
  const flags = ['--allow-image-urls', `images.example, ${host}`];
  const executable = builtExecutable('shapes');
  const infer = async (...args: string[]): Promise<{ exitCode: number; stdout: string; stderr: string }> =>
    await runExecutable(executable, ['infer', ...args]);
  const image = `${url}/${first.name}`;
  expect(await infer(image)).toMatchObject({
    exitCode: 1,
    stderr: `Error: ${image} is a URL, but images are not fetched from URLs. Send the image itself, or start the program with --allow-image-urls and the host of the URL.\n`,
  });
  expect((await infer('--allow-image-urls', 'images.example', image)).stderr).toBe(
    `Error: Cannot fetch ${image}: Files are not fetched from ${host}, which is not one of the allowed hosts.\n`,
  );
  expect((await infer('--allow-image-urls', 'https://a.example', image)).stderr).toContain(
    '--allow-image-urls: "https://a.example" is not a valid host name. Use a name such as',
  );
  expect(seen).toEqual([]);
  expect((await infer(...flags, image)).stdout).toBe((await infer(first.path)).stdout);
  const list = join(folder(), 'urls.txt');
  writeFileSync(list, `${image}\n${url}/away\n${second.path}\n`);
  const lines = await infer(...flags, '--input', list);
  expect(lines.exitCode).toBe(1);
  expect(lines.stdout).toContain(`"error":"Cannot fetch ${url}/away: ${host} redirects to another host`);
  expect(lines.stdout.match(/"label"/g)).toHaveLength(2);
});

verifiesServed('images:served-urls', async (arm) => {
  const [first] = SHAPES;
  if (!first) throw new Error('a shape');
  const { url, seen } = await localHttp(({ url: path }, response) => {
    const image = SHAPES.find(({ name }) => `/${name}` === path)?.bytes;
    if (image) response.end(image);
    else response.writeHead(404).end('an internal page');
  });
  const { host } = new URL(url);
  const allowed = ['--allow-image-urls', host];
  const [shapes, patches, closed] = [
    await serve(arm, 'shapes', allowed),
    await serve(arm, 'patches', allowed),
    await serve(arm, 'shapes'),
  ];
  for (const transport of TRANSPORTS.filter(({ name }) => name !== 'grpc')) {
    const inputs = SHAPES.flatMap(({ name, base64 }) => [`${url}/${name}`, base64]);
    const client = await transport.connect(shapes, 'ImageClassification');
    const { results } = await client.predict({ inputs });
    expect(results.map(({ predicted_label }) => predicted_label)).toEqual(
      SHAPES.flatMap(({ label }) => [label, label]),
    );
    const refused = async (image: string): Promise<string> => {
      const request = client.predict({ inputs: [first.base64, image] });
      return await request.then(
        () => 'no error',
        (error: unknown) => String(error),
      );
    };
    expect(await refused(`${url}/none.png`)).toContain(
      `Input 1 cannot be fetched: ${host} returned the status 404.`,
    );
    expect(await refused('http://169.254.169.254/latest')).toContain(
      'Files are not fetched from 169.254.169.254, which is not one of the allowed hosts.',
    );
    await client.close();
    const other = await transport.connect(closed, 'ImageClassification');
    const before = seen.length;
    await expect(other.predict({ inputs: [`${url}/${first.name}`] })).rejects.toThrow(
      'Input 0 is a URL, but images are not fetched from URLs.',
    );
    expect(seen).toHaveLength(before);
    await other.close();
  }
  const { name, base64 } = first;
  const post = async (path: string, body: object): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${patches.url}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers,
    });
    return await response.json();
  };
  const [vector] = (await post('/embed', { inputs: base64 })) as number[][];
  const image = `${url}/${name}`;
  expect(await post('/embed', { inputs: image })).toEqual([vector]);
  expect(await post('/v1/embeddings', { input: [image, { image }] })).toMatchObject({
    data: [{ embedding: vector }, { embedding: vector }],
  });
  expect(await post('/v2/embed', { images: [image] })).toMatchObject({ embeddings: { float: [vector] } });
});

verifiesServed('towers:urls', async (arm) => {
  const [first] = SHAPES;
  if (!first) throw new Error('a shape');
  const { url, seen } = await localHttp((_request, response) => response.end(first.bytes));
  const allowed = ['--allow-image-urls', new URL(url).host];
  const [clip, labels] = [await serve(arm, 'clip', allowed), await serve(arm, 'siglip-labels', allowed)];
  const ask = async (at: string, body: object): Promise<readonly object[]> => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${at}/predict`, { method: 'POST', body: JSON.stringify(body), headers });
    return ((await response.json()) as { readonly results: readonly object[] }).results;
  };
  const { base64 } = first;
  const [image, text, other] = await ask(clip.url, { inputs: [{ image: url }, url, { text: 'a circle' }] });
  expect(seen).toHaveLength(1);
  expect(await ask(clip.url, { inputs: [{ image: base64 }, { text: 'a circle' }] })).toEqual([image, other]);
  // A text that is a URL is not fetched.
  expect(await ask(clip.url, { inputs: [{ text: url }] })).toEqual([text]);
  const candidate_labels = ['circle', 'square'];
  expect(await ask(labels.url, { inputs: [url], candidate_labels })).toEqual(
    await ask(labels.url, { inputs: [base64], candidate_labels }),
  );
  expect(seen).toHaveLength(2);
});
