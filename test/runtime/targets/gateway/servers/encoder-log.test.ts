import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startGateway } from '#gateway/servers/start-gateway.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { readWithEnv } from '../config/read.ts';

const folder = useTempFolder();

test("an encoder's exit is logged as a warning, and its output at the info level", async () => {
  const path = join(folder(), 'ends.encoder');
  writeFileSync(path, '#!/bin/sh\necho its own words >&2\nexit 3\n', { mode: 0o755 });
  const file = join(folder(), 'g.yml');
  const config = { host: '127.0.0.1', port: 0, data_dir: 'data', encoders: { ends: { path } } };
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  const lines: { readonly level: number; readonly msg: string; readonly encoder?: string }[] = [];
  const gateway = await startGateway({
    read: () => readWithEnv({ flags: ['-c', file] }),
    write: (line) => lines.push(JSON.parse(line)),
  });
  await expect
    .poll(() => lines.find(({ msg }) => msg.includes('exited with code 3')))
    .toMatchObject({
      level: 40,
      msg: expect.stringMatching(
        /^The encoder ends: Cannot start `.*ends\.encoder`: exited with code 3; restarting in \d+ ms\.$/,
      ),
    });
  await expect
    .poll(() => lines.find(({ encoder }) => encoder === 'its own words'))
    .toMatchObject({ level: 30 });
  await gateway.stop();
});
