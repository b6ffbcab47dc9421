import { once } from 'node:events';
import {
  appendFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  watch as watchFolder,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { type FileWatch, watchFiles } from '#platform/watch-files.ts';
import { useTempFolder } from '../../helpers/temp-folder.ts';

const folder = useTempFolder();
const watches: FileWatch[] = [];
afterEach(() => {
  for (const watch of watches.splice(0)) watch.close();
});

/** Watches files, and returns a function that waits for the next change. */
function watching(...files: string[]): {
  readonly changed: () => Promise<void>;
  readonly count: () => number;
} {
  let count = 0;
  let next = Promise.withResolvers<void>();
  const watch = watchFiles({
    // The shortest delay that still combines related changes.
    clock: { now: systemClock.now, after: (_, run) => systemClock.after(20, run) },
    onChange() {
      count += 1;
      next.resolve();
      next = Promise.withResolvers();
    },
    onTrouble: (message) => {
      throw new Error(message);
    },
  });
  watch.watch(files);
  watches.push(watch);
  return { changed: () => next.promise, count: () => count };
}
const put = (name: string, text: string): string => {
  writeFileSync(join(folder(), name), text);
  return join(folder(), name);
};

test('writing, replacing, removing and recreating a file each cause a reload', async () => {
  const file = put('config.toml', 'one');
  const { changed, count } = watching(file);
  const next = async (act: () => void): Promise<void> => {
    const change = changed();
    act();
    await change;
  };
  await next(() => put('config.toml', 'other'));
  await next(() => renameSync(put('config.toml.tmp', 'third'), file));
  await next(() => renameSync(file, join(folder(), 'backup')));
  await next(() => put('config.toml', 'fourth'));
  expect(count()).toBe(4);
});

test('a change to another file causes no reload', async () => {
  const [file, log] = [put('config.toml', 'one'), put('log', 'a line\n')];
  let looks = 0;
  const watch = watchFiles({
    clock: {
      now: systemClock.now,
      after(_, run) {
        looks += 1;
        return systemClock.after(20, run);
      },
    },
    onChange: () => undefined,
    onTrouble: (message) => {
      throw new Error(message);
    },
  });
  watch.watch([file]);
  watches.push(watch);
  const seen = new AbortController();
  const written = once(watchFolder(folder(), { signal: seen.signal }), 'change');
  appendFileSync(log, 'another\n');
  await written;
  seen.abort();
  await setImmediate();
  expect(looks).toBe(0);
});

test('a file is detected even if its folder is created later', async () => {
  const { changed, count } = watching(join(folder(), 'config', 'mcpd', 'secrets.toml'));
  const change = changed();
  mkdirSync(join(folder(), 'config', 'mcpd'), { recursive: true });
  put('config/mcpd/secrets.toml', 'x');
  await change;
  expect(count()).toBe(1);
});

test('a file replaced with a circular link, and restored, causes a reload each time', async () => {
  const file = put('config.toml', 'one');
  const { changed, count } = watching(file);
  const circle = changed();
  rmSync(file);
  symlinkSync('config.toml', file);
  await circle;
  const back = changed();
  rmSync(file);
  put('config.toml', 'two');
  await back;
  expect(count()).toBe(2);
});

test('a link with a new target causes a reload', async () => {
  put('one', '1');
  put('two', '22');
  const file = join(folder(), 'config.toml');
  symlinkSync('one', file);
  const { changed, count } = watching(file);
  const change = changed();
  symlinkSync('two', join(folder(), 'new'));
  renameSync(join(folder(), 'new'), file);
  await change;
  expect(count()).toBe(1);
});

test("changes of a link's target in another folder are detected", async () => {
  mkdirSync(join(folder(), 'kept'));
  put('kept/config.toml', 'one');
  const file = join(folder(), 'config.toml');
  symlinkSync(join('kept', 'config.toml'), file);
  const { changed, count } = watching(file);
  const change = changed();
  put('kept/config.toml', 'other');
  await change;
  expect(count()).toBe(1);
});

test('changes to other files in the folder are ignored, and several quick writes cause one reload', async () => {
  const file = put('config.toml', 'one');
  const { changed, count } = watching(file);
  const change = changed();
  put('notes.txt', 'x');
  put('config.toml', '');
  put('config.toml', 'first half');
  put('config.toml', 'both halves');
  await change;
  expect(count()).toBe(1);
});
