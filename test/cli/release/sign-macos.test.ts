import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeContainer } from '#cli/packaging/steps/write-container.ts';
import { signMacos } from '#cli/release/sign-macos.ts';
import { PLATFORMS, shortName } from '#contract/platforms.ts';
import { findOutputFile } from '#platform/files/output-target.ts';
import { verifyFile } from '#platform/verify-file.ts';
import { isIntact } from '#contract/container/verify.ts';
import { ROOT } from '#test/helpers/paths.ts';
import { runProcess } from '#test/helpers/run-process.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { macho } from '../packaging/binary/macho-fixture.ts';

const folder = useTempFolder();

/** A small executable for macOS, with one section of data. */
async function executable(): Promise<string> {
  const program = join(folder(), 'program');
  const bytes = macho({});
  writeFileSync(program, bytes);
  const platform = PLATFORMS.find((each) => shortName(each) === 'macos-arm64');
  if (!platform) throw new Error('there is no platform macos-arm64');
  const path = join(folder(), 'encoderfile-macos-arm64');
  await writeContainer({
    executable: { path: program, offset: 0, length: bytes.length, fileSize: bytes.length },
    payload: [{ name: 'runtime', content: { bytes: new TextEncoder().encode('{}') } }],
    platform,
    output: findOutputFile(path),
  });
  return path;
}

/** A command that runs a Python script with the file as its argument. */
function command(script: string): string {
  const path = join(folder(), 'sign');
  rmSync(path, { force: true });
  writeFileSync(path, `#!/usr/bin/env python3\nimport struct, sys\npath = sys.argv[1]\n${script}`);
  chmodSync(path, 0o755);
  return path;
}

/** As codesign does, with a signature that is 5000 bytes longer. */
const SIGN = `data = bytearray(open(path, "rb").read())
count, = struct.unpack_from("<I", data, 16)
at = 32
for _ in range(count):
    kind, size = struct.unpack_from("<2I", data, at)
    if kind == 0x1D:
        length, = struct.unpack_from("<I", data, at + 12)
        struct.pack_into("<I", data, at + 12, length + 5000)
    if kind == 0x19 and data[at + 8:at + 18] == b"__LINKEDIT":
        memory, _, stored = struct.unpack_from("<3Q", data, at + 32)
        struct.pack_into("<Q", data, at + 32, memory + 16384)
        struct.pack_into("<Q", data, at + 48, stored + 5000)
    at += size
open(path, "wb").write(data + bytes(5000))
`;

test('an executable with a longer signature is intact', async () => {
  const file = await executable();
  const before = readFileSync(file);
  // An independent script recomputes the first signature.
  const verify = join(ROOT, 'test/cli/packaging/binary/verify-macho.py');
  expect(await runProcess('python3', [verify, file])).toMatchObject({ exitCode: 0 });
  await signMacos(command(SIGN), file);
  expect(readFileSync(file).length).toBe(before.length + 5000);
  expect((await verifyFile(file)).every(isIntact)).toBe(true);
});

test('a command that changes the data or fails is reported', async () => {
  const file = await executable();
  const change = 'data = bytearray(open(path, "rb").read())\ndata[5000] ^= 1\nopen(path, "wb").write(data)\n';
  await expect(signMacos(command(change), file)).rejects.toThrow(/encoderfile-macos-arm64/);
  const failing = command('sys.exit(3)');
  await expect(signMacos(failing, file)).rejects.toThrow(
    `${failing} cannot sign ${file}: Command failed with exit code 3`,
  );
});

test('.ci/sign-macos prints its commands without credentials, and rejects incomplete ones', async () => {
  const file = await executable();
  const before = readFileSync(file);
  const script = join(ROOT, '.ci/sign-macos');
  const none = {
    MACOS_P12_FILE: undefined,
    MACOS_P12_PASSWORD_FILE: undefined,
    MACOS_NOTARY_KEY_FILE: undefined,
  };
  const dry = await runProcess(script, [file], { env: none });
  expect(dry.exitCode).toBe(0);
  expect(dry.stderr.split('\n').map((line) => line.split(' ').slice(0, 4).join(' '))).toEqual(
    [
      `${file} keeps its ad-hoc`,
      'not run: rcodesign sign',
      'not run: zip --quiet',
      'not run: rcodesign notary-submit',
      'not run: chmod 755',
      'not run: mv',
    ].map((line) => expect.stringContaining(line)),
  );
  expect(readFileSync(file).equals(before)).toBe(true);
  const incomplete = await runProcess(script, [file], { env: { ...none, MACOS_P12_FILE: file } });
  expect(incomplete).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/^Error: Set all of MACOS_P12_FILE, /),
  });
});
