import { enter, follow, choose, type Interaction, openFirst, press } from './interaction.ts';

const SEARCH = 'Search names, descriptions and parameters';

export const managerInteractions: readonly Interaction[] = [
  {
    title: 'open a page',
    at: '#/keys/new',
    actions: ['Servers', 'Tools', 'Connect a client', 'Groups', 'Configuration', 'Add a server', 'Keys'].map(
      follow,
    ),
  },
  {
    title: 'open a page of rules and calls',
    at: '#/keys/new',
    actions: ['Pins and approvals', 'Audit log'].map(follow),
  },
  {
    title: 'servers: sort',
    at: '#/',
    actions: [
      press('Server'),
      press('Calls'),
      press('p95'),
      press('Memory'),
      press('State'),
      press('Server'),
    ],
  },
  {
    title: 'servers: search',
    at: '#/',
    actions: ['29', '299', 'remote-12', 'no such server', ''].map((text) => enter('Search', text)),
  },
  {
    title: 'servers: filter',
    at: '#/',
    actions: [choose('State', 'running'), choose('Health', 'ok'), choose('State', ''), choose('Health', '')],
  },
  {
    title: 'servers: next and previous page',
    at: '#/',
    actions: [press('Next'), press('Next'), press('Previous'), press('First page')],
  },
  { title: 'open a server', at: '#/?q=remote-1500', actions: [openFirst] },
  {
    title: 'tools: search (15,000 tools)',
    at: '#/tools',
    actions: ['documents', 'search part 3', 'collection 2999', 'no such tool', 'word'].map((text) =>
      enter(SEARCH, text),
    ),
  },
  { title: 'open a tool', at: '#/tools?q=collection+1500', actions: [openFirst] },
  {
    title: 'configuration: search, next page',
    at: '#/configuration',
    actions: [enter('Search', 'remote-77'), enter('Search', ''), press('Next')],
  },
  {
    title: 'configuration: open a server',
    at: '#/servers/remote-9',
    actions: [(page) => page.locator('main').getByRole('link', { name: 'Configuration' }).click()],
  },
  {
    title: 'configuration: review a change',
    at: '#/servers/remote-9/configuration',
    actions: [
      async (page) => {
        const text = page.getByLabel('[[servers]] of remote-9');
        await text.fill(`${await text.inputValue()}concurrency = 2\n`);
        await page.getByRole('button', { name: 'Review change' }).click();
      },
    ],
  },
];
