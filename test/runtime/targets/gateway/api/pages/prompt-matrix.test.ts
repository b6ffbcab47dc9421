import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { audit } from '#test/helpers/audit.ts';
import { provideChromium } from '#test/helpers/chromium.ts';
import { usePages } from '#test/helpers/use-pages.ts';
import { doJobs } from '../../evaluation/workflows/do-jobs.ts';
import { requestsTo } from '../../evaluation/workflows/workflow-requests.ts';
import { scriptedModel } from '../../evaluation/work/scripted-model.ts';
import { MASTER_KEY } from '../../master-key.ts';
import { type OpenGateway, openGateway } from '../open-gateway.ts';

const chromium = await provideChromium();
const HOSTILE = '<img src=x onerror="document.title=1">';
const model = await scriptedModel(({ body }) =>
  body.messages[0]?.content === 'Help.' && body.model === 'small' ? 'no' : 'yes',
);

describe.skipIf(chromium === undefined)('the table of prompts and models in a browser', () => {
  const pages = usePages(chromium);
  let gateway: OpenGateway;
  let origin: string;
  let experiment: string;
  beforeAll(async () => {
    gateway = await openGateway();
    origin = await gateway.listen();
    const { upload, experiment: create, workflow } = requestsTo(gateway);
    const dataset = (await upload('examples,ground_truth\na,yes\nb,yes\nc,no\n')).body.id;
    experiment = await create(dataset, { name: 'prompts', task_definition: { task: 'text-generation' } });
    for (const [prompt_name, system_prompt] of [
      ['short', 'Help.'],
      [HOSTILE, 'Help with care.'],
    ] as const) {
      for (const name of ['small', 'large']) {
        gateway.clock.advance(1);
        const server = { provider: 'llamafile', base_url: `${model.url}/v1`, model: name };
        const more = { prompt_name, system_prompt, metrics: ['exact_match'] };
        await workflow(experiment, { ...server, ...more, name: `${name} (${prompt_name})` });
      }
    }
    await doJobs(gateway.context.jobs, origin);
  });
  afterAll(async () => {
    await gateway.close();
  });

  test('it shows a cell for each prompt and model, marks the frontier, and downloads the plot', async () => {
    const before = (page: Page): Promise<unknown> =>
      page.addInitScript(`sessionStorage.setItem('api-key /', ${JSON.stringify(MASTER_KEY)})`);
    const address = `${origin}/#/experiments/${experiment}`;
    const check = async (page: Page): Promise<void> => {
      const section = page.getByRole('region', { name: 'Prompts and models' });
      await section.getByRole('table').first().waitFor();
      await section.getByLabel('Weigh quality against').selectOption('tokens');
      await section.getByText('on the frontier').first().waitFor();
      const matrix = section.getByRole('table').first();
      expect(await matrix.getByRole('row').count()).toBe(3);
      expect(await matrix.getByRole('rowheader').allTextContents()).toEqual(['short', HOSTILE]);
      expect(await matrix.getByText('on the frontier').count()).toBe(3);
      expect(await page.title()).not.toBe('1');
      const downloading = page.waitForEvent('download');
      await section.getByRole('button', { name: 'Download plot' }).click();
      const download = await downloading;
      expect(download.suggestedFilename()).toBe('prompts.svg');
      const svg = await readFile(await download.path(), 'utf8');
      expect(svg).toMatch(/^<svg [^]*&lt;img src=x [^]*<\/svg>\n$/);
      expect(await audit(page)).toEqual([]);
    };
    await pages.visit(address, check, { before: async (page) => void (await before(page)) });
  });
});
