import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT } from '#test/helpers/paths.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { serverSpec } from '../server-spec.ts';
import { type Managed, openManager } from './managed.ts';

/** Number of checks per scenario. `fixtures/mcp-servers/conformance.mjs`, behind the manager, provides what they test. */
const SCENARIOS = {
  'server-initialize': 1,
  'logging-set-level': 1,
  ping: 1,
  'completion-complete': 1,
  'tools-list': 1,
  'tools-call-simple-text': 1,
  'tools-call-image': 1,
  'tools-call-audio': 1,
  'tools-call-embedded-resource': 1,
  'tools-call-mixed-content': 1,
  'tools-call-with-logging': 1,
  'tools-call-error': 1,
  'tools-call-with-progress': 1,
  'json-schema-2020-12': 4,
  'tools-call-sampling': 1,
  'tools-call-elicitation': 1,
  'elicitation-sep1034-defaults': 5,
  'elicitation-sep1330-enums': 5,
  // Two checks do not count: that responses can be JSON, and that a server need not end a stream itself.
  'server-sse-multiple-streams': 1,
  'server-sse-polling': 2,
  'resources-list': 1,
  'resources-read-text': 1,
  'resources-read-binary': 1,
  'resources-templates-read': 1,
  'resources-subscribe': 1,
  'resources-unsubscribe': 1,
  'prompts-list': 1,
  'prompts-get-simple': 1,
  'prompts-get-with-args': 1,
  'prompts-get-embedded-resource': 1,
  'prompts-get-with-image': 1,
  'dns-rebinding-protection': 2,
};

const folder = useTempFolder();
let managed: Managed;
beforeAll(async () => {
  managed = await openManager({ servers: [serverSpec('suite', 'conformance')] });
  await managed.running('suite');
});
afterAll(() => managed.close());

test('every scenario of the conformance suite passes', async () => {
  const url = `${managed.origin}/mcp/suite`;
  const { stdout, exitCode } = await execa('conformance', ['server', '--url', url, '--suite', 'all'], {
    preferLocal: true,
    localDir: ROOT,
    cwd: folder(),
    reject: false,
  });
  const results = [...stdout.matchAll(/^. ([a-z\d-]+): (\d+) passed, (\d+) failed/gm)];
  expect(results.filter(([, , , failed]) => failed !== '0')).toEqual([]);
  expect(Object.fromEntries(results.map(([, scenario, passed]) => [scenario, Number(passed)]))).toEqual(
    SCENARIOS,
  );
  expect(exitCode).toBe(0);
});
