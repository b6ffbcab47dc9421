import type { Static } from 'typebox';
import type { groupsBody } from '#manager/http/schemas/groups.ts';
import type { Place } from '#serve/http/pages/browser/start-app.ts';
import { facts } from '#serve/http/pages/browser/components/facts.ts';
import { copyButton } from '#serve/http/pages/browser/copy-button.ts';
import { element, scrollable } from '#serve/http/pages/browser/dom.ts';
import { errorNotice } from '#serve/http/pages/browser/components/states.ts';
import { changeQuery } from '#serve/http/pages/browser/route.ts';
import { ServerError } from '#serve/http/pages/browser/server.ts';
import { api } from './shared/caller.ts';

interface Client {
  readonly title: string;
  readonly transport: string;
  readonly files: { readonly linux: string; readonly macos: string; readonly windows: string };
  readonly text: string;
}

/** The configuration to paste into each MCP client. */
export async function showClients({ root, query, session, signal }: Place) {
  const shown = element('div', { class: 'page', 'aria-live': 'polite' });
  const { data } = await session.call<Static<typeof groupsBody>>(api('groups'), { signal });
  const group = element(
    'select',
    { id: 'client-group' },
    element('option', { value: '' }, 'all servers'),
    ...data.groups.map(({ name }) => element('option', { value: name }, name)),
  );
  group.value = query.get('group') ?? '';
  const servers = element('input', {
    id: 'client-servers',
    type: 'text',
    autocomplete: 'off',
    spellcheck: 'false',
    'aria-describedby': 'client-words',
  });
  servers.value = query.get('servers') ?? '';
  const form = element(
    'form',
    { class: 'filters', 'aria-label': 'Client access' },
    element('p', { class: 'filter choice' }, element('label', { for: 'client-group' }, 'Group'), group),
    element('p', { class: 'filter text' }, element('label', { for: 'client-servers' }, 'Servers'), servers),
  );
  form.addEventListener('submit', (event) => event.preventDefault());

  async function draw() {
    const chosen = { group: group.value, servers: servers.value.replaceAll(/\s+/g, '') };
    changeQuery(chosen, { replace: true });
    try {
      const { data: found } = await session.call<{
        readonly url: string;
        readonly clients: readonly Client[];
      }>(api('clients'), {
        query: { group: chosen.group || undefined, servers: chosen.servers || undefined },
        signal,
      });
      shown.replaceChildren(
        facts([['MCP endpoint', element('code', {}, found.url)]]),
        ...found.clients.map(clientPart),
      );
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      shown.replaceChildren(errorNotice(error));
    }
  }
  form.addEventListener('change', () => void draw());
  await draw();
  root.append(
    form,
    element(
      'p',
      { id: 'client-words', class: 'hint' },
      'Servers: comma-separated names; empty for all. Replace <API key> with a key from the Keys page. To edit a client’s file on your machine, run mcp-manager install.',
    ),
    shown,
  );
}

function clientPart({ title, transport, files, text }: Client) {
  return element(
    'section',
    { class: 'client', 'aria-label': title },
    element('h2', {}, title),
    element(
      'p',
      { class: 'hint' },
      transport === 'stdio' ? 'This client starts mcp-manager stdio, which connects to this manager. ' : '',
      'File: ',
      element('code', {}, files.linux),
      ...(files.macos === files.linux ? [] : [', on macOS ', element('code', {}, files.macos)]),
      ', on Windows ',
      element('code', {}, files.windows),
    ),
    scrollable(`Configuration of ${title}`, element('pre', {}, element('code', {}, text))),
    element(
      'div',
      { class: 'actions' },
      copyButton('Copy', `Copy the configuration of ${title}`, () => text),
    ),
  );
}
