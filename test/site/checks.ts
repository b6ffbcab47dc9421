import type { Page } from 'playwright-core';

/** The address of the site, and of the folder of its version. */
interface Site {
  readonly root: string;
  readonly version: string;
}

/** An older version that is in the folder before the site is built. */
export const OLDER = '0.0.9';

type Check = (page: Page, site: Site) => Promise<void>;

const open = async (page: Page, { root, version }: Site, name: string): Promise<void> => {
  await page.goto(`${root}/${version}/${name}.html`);
  await page.getByRole('heading', { level: 1 }).waitFor();
};
const seeTitle = (page: Page, name: string): Promise<void> =>
  page.getByRole('heading', { level: 1, name, exact: false }).waitFor();

/** Actions of a reader on the site, by name. */
export const CHECKS: Readonly<Record<string, Check>> = {
  async 'the root redirects to the latest version'(page, { root, version }) {
    await page.goto(`${root}/index.html`);
    await page.waitForURL(`${root}/${version}/index.html`);
    await seeTitle(page, 'encoderfile');
  },
  async 'links work from pages and folders, and after a reload'(page, site) {
    await open(page, site, 'index');
    await page.locator('main').getByRole('link', { name: 'LangChain' }).first().click();
    await seeTitle(page, 'LangChain');
    await page.locator('aside').getByRole('link', { name: 'Teams of a gateway' }).click();
    await seeTitle(page, 'Teams');
    await page.reload();
    await seeTitle(page, 'Teams');
  },
  async 'the search finds an error message'(page, site) {
    await open(page, site, 'faq');
    await page.locator('.VPNavBarSearchButton').first().click();
    await page.locator('#localsearch-input').fill('Cannot tokenize empty');
    await page.locator('.result', { hasText: 'Troubleshooting' }).first().click();
    await page.waitForURL(/troubleshooting\.html/);
  },
  async 'dark mode is kept after a reload'(page, site) {
    await open(page, site, 'serve');
    await page.locator('.VPSwitchAppearance:visible').first().click();
    await page.reload();
    await page.locator('html.dark').waitFor();
  },
  async 'the menu opens another version'(page, site) {
    await open(page, site, 'how-to/qdrant');
    await page.locator(`.version-menu option[value="${OLDER}"]`).waitFor({ state: 'attached' });
    await page.locator('.version-menu').selectOption(OLDER);
    await page.waitForURL(`${site.root}/${OLDER}/index.html`);
  },
  async 'plots are shown'(page, site) {
    await open(page, site, 'benchmarks');
    await page.waitForLoadState('networkidle');
    const images = page.locator('main img');
    const widths = await images.evaluateAll((all) =>
      all.map((image) => ('naturalWidth' in image ? Number(image.naturalWidth) : 0)),
    );
    if (widths.length < 3 || widths.includes(0)) throw new Error(`widths of the plots: ${widths.join(', ')}`);
  },
  async 'no page is wider than a phone'(page, site) {
    await page.setViewportSize({ width: 360, height: 740 });
    for (const name of ['index', 'config', 'troubleshooting', 'gateway', 'benchmarks']) {
      await open(page, site, name);
      const hidden = await page.locator('html').evaluate((html) => html.scrollWidth - html.clientWidth);
      if (hidden > 0) throw new Error(`${name} is ${hidden} pixels too wide`);
    }
  },
};
