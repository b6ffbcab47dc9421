import { rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { configError } from '#contract/errors.ts';
import { createReloader, type ReloadableConfig } from '#serve/program/reloader.ts';
import { useTempFolder } from '../../../helpers/temp-folder.ts';
import { testKernel } from '../../../helpers/test-kernel.ts';
import { manualClock } from '../../targets/gateway/manual-clock.ts';

const folder = useTempFolder();

interface TestConfig extends ReloadableConfig {
  readonly names: readonly string[];
  readonly port: number;
}

/** A program whose configuration is a list of names in a file, with an optional secrets file next to it. */
async function start() {
  const [file, secrets] = [join(folder(), 'names'), join(folder(), 'secrets')];
  const clock = manualClock();
  const kernel = testKernel();
  const applied: string[] = [];
  let [port, reads] = [1, 0];
  let failure: Error | undefined;
  const textOf = async (path: string): Promise<string | undefined> =>
    await readFile(path, 'utf8').catch(() => undefined);
  const read = async (): Promise<TestConfig> => {
    reads += 1;
    const found = await Promise.all(
      [file, secrets].map(async (path) => ({ path, text: await textOf(path) })),
    );
    const sources = found.flatMap(({ path, text }) =>
      text === undefined ? [] : [{ path, isBlank: text === '' }],
    );
    const names = (found[0]?.text ?? '').split(' ').filter(Boolean);
    const warnings = names.includes('odd') ? ['odd is odd.'] : [];
    return {
      names,
      port,
      sources,
      warnings,
      problems: names.includes('bad') ? ['bad is bad.'] : [],
      files: [file],
    };
  };
  writeFileSync(file, 'a');
  const reloader = createReloader({
    program: 'gateway',
    config: await read(),
    read,
    isEmpty: ({ names }) => names.length === 0,
    async apply({ names }) {
      await new Promise((resolve) => setImmediate(resolve));
      if (failure) throw failure;
      applied.push(names.join(' '));
      return { now: names.length };
    },
    startOnly: { port: 'port' },
    log: kernel.log,
    clock,
  });
  return {
    reloader,
    clock,
    applied,
    reads: () => reads - 1,
    logged: (level: number) => kernel.logged.filter((line) => line['level'] === level).map(({ msg }) => msg),
    lines: kernel.logged,
    write: (text: string) => writeFileSync(file, text),
    remove: () => rmSync(file),
    writeSecrets: (text: string) => writeFileSync(secrets, text),
    removeSecrets: () => rmSync(secrets),
    setPort: (next: number) => void (port = next),
    failWith: (error: Error | undefined) => void (failure = error),
  };
}

/** Starts a reload that reads an incomplete file, and returns its result after `then`. */
async function settled(program: Awaited<ReturnType<typeof start>>, then: () => void = () => undefined) {
  const reloading = program.reloader.reload().catch(String);
  await program.clock.nextIn(200);
  then();
  program.clock.advance(200);
  return await reloading;
}

test('a complete file is applied immediately, and its changes, warnings and problems are logged', async () => {
  const { reloader, write, applied, logged, lines } = await start();
  write('a odd bad');
  expect(await reloader.reload()).toEqual({ now: 3 });
  expect(applied).toEqual(['a odd bad']);
  expect(lines).toContainEqual(expect.objectContaining({ now: 3, msg: 'Configuration reloaded.' }));
  expect([logged(40), logged(50)]).toEqual([['odd is odd.'], ['bad is bad.']]);
});

test('an emptied file is read again before it is applied', async () => {
  const program = await start();
  program.write('');
  await settled(program, () => program.write('a b'));
  expect(program.applied).toEqual(['a b']);
  program.write('');
  await settled(program);
  expect(program.applied).toEqual(['a b', '']);
});

test('a deleted file is an error, unless it is restored soon', async () => {
  const program = await start();
  program.remove();
  expect(await settled(program)).toMatch(
    /names no longer exists\. Restore it, or restart the gateway to run without it\.$/,
  );
  expect(program.applied).toEqual([]);
  await settled(program, () => program.write('a c'));
  expect(program.applied).toEqual(['a c']);
});

test('the secrets file is also reread if it was emptied, and reported if it was deleted', async () => {
  const program = await start();
  program.writeSecrets('s');
  await program.reloader.reload();
  program.writeSecrets('');
  await settled(program);
  expect(program.applied).toEqual(['a', 'a']);
  program.writeSecrets('s');
  await program.reloader.reload();
  program.removeSecrets();
  expect(await settled(program)).toContain('secrets no longer exists.');
});

test('a failed reload does not change the configuration, and is logged without a stack trace', async () => {
  const { reloader, failWith, logged, lines, applied } = await start();
  failWith(configError('a cannot be started.'));
  await expect(reloader.reload()).rejects.toThrow('a cannot be started.');
  expect(logged(50)).toEqual(['Configuration not reloaded: a cannot be started.']);
  expect(lines.at(-1)).not.toHaveProperty('err');
  failWith(undefined);
  await reloader.reload();
  expect(applied).toEqual(['a']);
});

test('startup-only settings are reported as long as they differ from the running ones', async () => {
  const { reloader, setPort, logged } = await start();
  setPort(2);
  await reloader.reload();
  await reloader.reload();
  const warning = 'port changed; restart the gateway to apply it.';
  expect(logged(40)).toEqual([warning, warning]);
  setPort(1);
  await reloader.reload();
  expect(logged(40)).toHaveLength(2);
});

test('callers during a reload share the next one', async () => {
  const { reloader, reads } = await start();
  const first = reloader.reload();
  await new Promise((resolve) => setImmediate(resolve));
  await Promise.all([first, ...Array.from({ length: 50 }, () => reloader.reload())]);
  expect(reads()).toBe(2);
});

test('close waits for a running reload and rejects later ones', async () => {
  const { reloader, applied } = await start();
  const running = reloader.reload();
  await new Promise((resolve) => setImmediate(resolve));
  await reloader.close();
  expect(applied).toEqual(['a']);
  await running;
  await expect(reloader.reload()).rejects.toMatchObject({
    code: 'UnavailableError',
    message: 'The gateway is stopping.',
  });
});
