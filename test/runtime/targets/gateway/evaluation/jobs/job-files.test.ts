import { randomBytes } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { sha256 } from '#platform/sha256.ts';
import { describeDatabases } from '../../databases.ts';
import { openWorkerJob, useWorkerJobs } from './worker-job.ts';

await useWorkerJobs();
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function file(name: string, bytes: string | Buffer): string {
  const folder = mkdtempSync(join(tmpdir(), 'encoderfile-test-'));
  folders.push(folder);
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

const BYTES = randomBytes(300_000);

describeDatabases((database) => {
  test("a worker downloads its job's encoder, in full or in ranges, until the file changes", async () => {
    const path = file('a.encoder', BYTES);
    const { asWorker, gateway, token, claim, job } = await openWorkerJob(database, 2, {
      backend: { kind: 'encoder-file', path },
    });
    const listed = {
      role: 'encoder',
      name: path,
      path,
      sha256: sha256(BYTES),
      bytes: 300_000,
      platform: null,
    };
    expect((await asWorker('GET', '/files')).body).toEqual({ files: [listed] });
    const url = `/api/v1/worker/files/${listed.sha256}`;
    const get = async (range?: string, bearer = token): Promise<Response> =>
      await gateway.app.request(url, {
        headers: { authorization: `Bearer ${bearer}`, ...(range === undefined ? {} : { range }) },
      });
    const whole = await get();
    expect(whole.status).toBe(200);
    expect(sha256(new Uint8Array(await whole.arrayBuffer()))).toBe(listed.sha256);
    const part = await get('bytes=299990-');
    expect(part.status).toBe(206);
    expect(part.headers.get('content-range')).toBe('bytes 299990-299999/300000');
    expect(Buffer.from(await part.arrayBuffer()).equals(BYTES.subarray(-10))).toBe(true);
    const head = await gateway.app.request(url, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${token}` },
    });
    expect(head.headers.get('content-length')).toBe('300000');
    expect((await get('bytes=300000-')).status).toBe(422);
    expect((await get(undefined, 'gwjob-another')).status).toBe(401);
    expect((await asWorker('GET', `/files/${'0'.repeat(64)}`)).status).toBe(404);

    writeFileSync(`${path}.new`, 'another version');
    renameSync(`${path}.new`, path);
    // The job keeps its version, which a node can still have cached.
    expect((await asWorker('GET', '/files')).body).toEqual({ files: [listed] });
    const refused = await asWorker('GET', `/files/${listed.sha256}`);
    expect(refused.status).toBe(409);
    expect(refused.text).toContain(
      `\`${path}\` has changed since the job started: its SHA-256 is ${sha256('another version')}, not ${listed.sha256}. Restore the file, or create a new workflow with the new version.`,
    );
    expect((await asWorker('GET', `/files/${sha256('another version')}`)).status).toBe(404);
    rmSync(path);
    expect((await asWorker('GET', `/files/${listed.sha256}`)).text).toContain(
      `The gateway cannot read \`${path}\`: ENOENT`,
    );
    await gateway.context.jobs.queue.end(claim, { status: 'failed', error: 'over' });
    expect((await asWorker('GET', '/files')).status).toBe(409);
    expect((await job()).status).toBe('failed');
  });

  test('job files are not offered if the owner is not allowed to run files', async () => {
    const path = file('a.encoder', BYTES);
    const { asWorker } = await openWorkerJob(database, 2, { backend: { kind: 'encoder-file', path } }, 'ada');
    expect((await asWorker('GET', '/files')).body).toEqual({ files: [] });
    expect((await asWorker('GET', `/files/${sha256(BYTES)}`)).status).toBe(404);
  });

  test("the program and configured encoders are offered to every user's jobs", async () => {
    const [program, encoder] = [file('gateway', 'the gateway'), file('a.encoder', BYTES)];
    const model = 'encoder:a';
    const { asWorker } = await openWorkerJob(database, 2, { backend: { kind: 'gateway', model } }, 'ada', {
      program,
      encoderPaths: { [model]: encoder },
    });
    const { files } = (await asWorker('GET', '/files')).body;
    expect(files).toMatchObject([
      { role: 'program', path: program, sha256: sha256('the gateway') },
      { role: 'encoder', name: model, path: encoder, sha256: sha256(BYTES) },
    ]);
    expect((await asWorker('GET', `/files/${sha256('the gateway')}`)).text).toBe('the gateway');
  });
});
