import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { chromium } from 'playwright-core';
import { chosen } from '../helpers/chosen.ts';
import { CHROMIUM_FLAGS, provideChromium } from '../helpers/chromium.ts';
import { MINILM, withHubOf } from '../helpers/published-model.ts';
import { ROOT, TEST_CACHE } from '../helpers/paths.ts';
import { portIn, startExecutable } from '../helpers/start-executable.ts';
import { INSTALLED_PICTURES, useRelease } from './installed.ts';
import { type Step, terminalSvg } from './terminal-svg.ts';

// `npm run pictures`: creates the images in the README and the documentation from real output: terminals as SVG, with all-MiniLM-L6-v2 from a package,
// served by a local hub, or with the build tool of a release, and the page of a model server as PNG. Arguments select the images whose name
// contains one of them. Requires Python 3 with pip, unzip and Chromium.

const images = join(ROOT, 'docs/pictures');
const folder = mkdtempSync(join(tmpdir(), 'encoderfile-pictures-'));
const cli = join(ROOT, 'cli/bin.ts');
const SERVE = ['--local', '--http-port', '0', '--disable-grpc', '--log-level', 'warn'];
const drawn = (name: string, title: string, steps: readonly Step[]): void =>
  writeFileSync(join(images, name), terminalSvg(title, steps));
const PICTURES: readonly { readonly name: string; readonly draw: () => Promise<void> }[] = [
  {
    name: 'start.svg',
    draw: () =>
      withHubOf(MINILM, folder, async (env) =>
        drawn('start.svg', 'From the name of a model to an answer', await record(env)),
      ),
  },
  { name: 'page.png', draw: screenshot },
  ...INSTALLED_PICTURES.map(({ name, title, record: recordInstalled }) => ({
    name,
    draw: async () => drawn(name, title, await recordInstalled(await useRelease(join(folder, 'release')))),
  })),
];
try {
  for (const { draw } of chosen(PICTURES, ({ name }) => name)) await draw();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Runs the commands in the image. Only the ports differ from the shown output. */
async function record(env: Record<string, string | undefined>): Promise<Step[]> {
  const options = { cwd: folder, env, all: true } as const;
  const build = await execa(
    process.execPath,
    [cli, 'build', `hf:${MINILM.repository}`, '--cache-dir', TEST_CACHE],
    options,
  );
  const model = './all-MiniLM-L6-v2.encoder';
  const infer = await execa(model, ['infer', 'I forgot my login', '--dimensions', '4'], options);
  const server = startExecutable(join(folder, model), ['serve', ...SERVE]);
  try {
    const banner = await server.said(/^ +MCP +.*\n/m);
    const port = portIn(banner, 'HTTP');
    const inputs = {
      source_sentence: 'I forgot my login',
      sentences: ['Reset your password in Settings', 'Invoices are sent monthly'],
    };
    const answer = await fetch(`http://127.0.0.1:${port}/similarity`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ inputs }),
    });
    const shownBanner = banner.trimEnd().replaceAll(`127.0.0.1:${port}`, 'localhost:8080');
    return [
      { command: `encoderfile build hf:${MINILM.repository}`, output: build.all },
      { command: `${model} infer "I forgot my login" --dimensions 4`, output: infer.all },
      { command: `${model} serve --local &`, output: shownBanner },
      {
        command: [
          String.raw`curl localhost:8080/similarity -H 'content-type: application/json' \ `.trimEnd(),
          `-d '{"inputs": {"source_sentence": "${inputs.source_sentence}",`,
          `"sentences": ${JSON.stringify(inputs.sentences)}}}'`,
        ].join('\n'),
        output: await answer.text(),
      },
    ];
  } finally {
    server.child.kill('SIGTERM');
    await server.ended;
  }
}

/** The page of a model that highlights entities. */
async function screenshot(): Promise<void> {
  const executablePath = await provideChromium();
  if (executablePath === undefined) return;
  const model = join(folder, 'ner.encoder');
  const config = join(ROOT, 'fixtures/models/ner/encoderfile.yml');
  await execa(process.execPath, [cli, 'build', '-q', '-f', config, '-o', model, '--cache-dir', TEST_CACHE]);
  const server = startExecutable(model, ['serve', ...SERVE]);
  const browser = await chromium.launch({ executablePath, args: CHROMIUM_FLAGS });
  try {
    const port = portIn(await server.said(/^ +HTTP +.*\n/m), 'HTTP');
    const page = await browser.newPage({ viewport: { width: 1100, height: 640 }, colorScheme: 'light' });
    await page.goto(`http://127.0.0.1:${port}/`);
    await page.locator('#examples button').first().click();
    await page.locator('.result').first().waitFor();
    await page.screenshot({ path: join(images, 'page.png') });
  } finally {
    await browser.close();
    server.child.kill('SIGTERM');
    await server.ended;
  }
}
