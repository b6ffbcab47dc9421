import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { usePages } from '#test/helpers/use-pages.ts';
import { type ManagerWithFiles, serverToml, startWithFiles } from '../start-with-files.ts';

/** Content that would run, load or navigate if a page did not show it as text. */
export const SCRIPT = `<img src=x onerror="document.title='run'"><script>document.title='run'</script>`;

const CONFIG = `# The servers of the team.
${serverToml('echo', 'echo')}
${serverToml('careful', 'echo', { lazy: true, approvals: [{ tools: ['add'], action: 'ask' }] })}
${serverToml('hostile', 'malformed', {
  env: {
    TOOLS: JSON.stringify([
      {
        name: 'evil',
        description: SCRIPT,
        inputSchema: { type: 'object', properties: { [SCRIPT]: { type: 'string', description: SCRIPT } } },
      },
    ]),
    PROMPTS: JSON.stringify([{ name: SCRIPT, description: SCRIPT }]),
    RESOURCES: JSON.stringify([{ uri: 'javascript:alert(1)', name: SCRIPT }]),
  },
})}
[[groups]]
name = "research"
servers = ["echo"]
`;

type Visit = ReturnType<typeof usePages>['visit'];
type VisitOptions = NonNullable<Parameters<Visit>[2]>;

interface ManagerPages {
  readonly manager: () => ManagerWithFiles;
  /** Opens a page with a key in the session: the editor's or another one. */
  readonly visit: (
    hash: string,
    body: (page: Page) => Promise<void>,
    options?: VisitOptions & { readonly key?: () => string },
  ) => Promise<void>;
  readonly visitWithoutKey: (body: (page: Page) => Promise<void>, options?: VisitOptions) => Promise<void>;
}

/** The pages of a real manager with a hostile server, for all tests of a group. */
export function openPages(chromium: string | undefined): ManagerPages {
  const pages = usePages(chromium);
  let running: ManagerWithFiles | undefined;
  beforeAll(async () => {
    running = await startWithFiles(CONFIG);
    for (const name of ['echo', 'hostile']) await running.get(`/api/v1/servers/${name}/tools`);
  });
  afterAll(() => running?.close());
  const manager = (): ManagerWithFiles => {
    if (!running) throw new Error('the manager does not run');
    return running;
  };
  return {
    manager,
    visit: (hash, body, { key = () => manager().keys.editor, ...options } = {}) =>
      pages.visit(`${manager().url}/${hash}`, body, {
        ...options,
        async before(page) {
          await page.addInitScript((value) => sessionStorage.setItem('api-key /', value), key());
        },
      }),
    visitWithoutKey: (body, options) => pages.visit(manager().url, body, options),
  };
}

export const heading = (page: Page, name: string): Locator =>
  page.getByRole('heading', { level: 1, name, exact: true });

export const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click();
