import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EncoderContext } from '#encoder/context.ts';
import { ROOT } from '#test/helpers/paths.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { openServing } from './serving-context.ts';
import { type ServedOverHttp, serveHttp } from './wires.ts';
import { builtAssets } from '#test/helpers/built.ts';

/** The number of checks in each scenario that applies to every server. */
const APPLICABLE = {
  'server-initialize': 1,
  ping: 1,
  'tools-list': 1,
  // The check that responses may be JSON is not counted.
  'server-sse-multiple-streams': 1,
  'dns-rebinding-protection': 2,
};

/** All other scenarios, by the unsupported feature that they need: see `docs/mcp.md`. */
const NOT_APPLICABLE = {
  'a tool of the suite': [
    'tools-call-simple-text',
    'tools-call-image',
    'tools-call-audio',
    'tools-call-embedded-resource',
    'tools-call-mixed-content',
    'tools-call-with-logging',
    'tools-call-error',
    'tools-call-with-progress',
    'tools-call-sampling',
    'tools-call-elicitation',
    'json-schema-2020-12',
    'elicitation-sep1034-defaults',
    'elicitation-sep1330-enums',
    'server-sse-polling',
  ],
  logging: ['logging-set-level'],
  completions: ['completion-complete'],
  resources: [
    'resources-list',
    'resources-read-text',
    'resources-read-binary',
    'resources-templates-read',
    'resources-subscribe',
    'resources-unsubscribe',
  ],
  prompts: [
    'prompts-list',
    'prompts-get-simple',
    'prompts-get-with-args',
    'prompts-get-embedded-resource',
    'prompts-get-with-image',
  ],
};

const folder = useTempFolder();
let context: EncoderContext;
let served: ServedOverHttp;
beforeAll(async () => {
  context = await openServing(builtAssets('sentiment'));
  served = await serveHttp(context);
});
afterAll(async () => {
  await served.close();
  await context.engine.close();
});

const conformance = (...args: string[]): Promise<{ stdout: string; exitCode?: number | undefined }> =>
  execa('conformance', args, { preferLocal: true, localDir: ROOT, cwd: folder(), reject: false });

test('every scenario of the suite is classified as applicable or not', async () => {
  const { stdout } = await conformance('list', '--server');
  const listed = [...stdout.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name);
  const known = [...Object.keys(APPLICABLE), ...Object.values(NOT_APPLICABLE).flat()];
  expect(listed).toHaveLength(known.length);
  expect(new Set(listed)).toEqual(new Set(known));
});

test.each(Object.entries(APPLICABLE))('%s passes', async (scenario, checks) => {
  const { stdout, exitCode } = await conformance('server', '--url', served.url.href, '--scenario', scenario);
  expect(stdout).toContain(`Passed: ${checks}/${checks}, 0 failed, 0 warnings`);
  expect(exitCode).toBe(0);
});
