import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { ServerSpec } from '#manager/config/spec.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { serverSpec } from '../server-spec.ts';
import { callOf, useManager } from '../use-manager.ts';

const folder = useTempFolder();
const start = useManager();

/** A published third-party server. */
function published(name: string, ...args: string[]): ServerSpec {
  const program = fileURLToPath(import.meta.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`));
  const launch = { kind: 'process' as const, command: process.execPath, args: [program, ...args], env: {} };
  return { ...serverSpec(name, 'echo'), launch };
}

test('error codes of server-everything for unknown items are recognized', async () => {
  const { calls } = start([published('everything', 'stdio')]);
  const everything = callOf('everything');
  const read = (uri: string) => calls.readResource({ ...everything, uri });
  await expect(calls.getPrompt({ ...everything, prompt: 'none', args: {} })).rejects.toMatchObject({
    code: 'NotFoundError',
  });
  await expect(calls.getPrompt({ ...everything, prompt: 'args-prompt', args: {} })).rejects.toMatchObject({
    code: 'InputError',
    message: expect.stringContaining('invalid prompt arguments: everything/args-prompt: '),
  });
  await expect(read('demo://none')).rejects.toMatchObject({ code: 'NotFoundError' });
  expect(await read('demo://resource/dynamic/text/1')).toMatchObject([{ mimeType: 'text/plain' }]);
  // The URI matches a template, so the server may have failed.
  await expect(read('demo://resource/dynamic/text/x')).rejects.toMatchObject({ code: 'UpstreamError' });
});

test('servers without prompts or resources return the same error messages', async () => {
  const { calls } = start([published('filesystem', folder()), published('sequential-thinking')]);
  for (const server of calls.servers(callOf('any').caller)) {
    await expect(calls.listPrompts(callOf(server))).rejects.toThrow(
      `prompts not implemented by server: ${server}`,
    );
    await expect(calls.listResources(callOf(server))).rejects.toThrow(
      `resources not implemented by server: ${server}`,
    );
    expect((await calls.listTools(callOf(server))).length).toBeGreaterThan(0);
  }
});
