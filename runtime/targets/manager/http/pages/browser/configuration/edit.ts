import type { Static } from 'typebox';
import type { serverConfigurationBody } from '#manager/http/schemas/configuration.ts';
import type { Place } from '#serve/http/pages/browser/start-app.ts';
import { element } from '#serve/http/pages/browser/dom.ts';
import { admin, readCaller, guarded } from '../shared/caller.ts';
import { button } from '../shared/parts.ts';
import { serverHead } from '../servers/head.ts';
import { type Edited, reviewChange, writtenNotice } from './review.ts';

/** Text editor for a server's section of the configuration file. */
export async function showConfiguration(place: Place) {
  const { root, params, session, signal, navigate } = place;
  const { name = '' } = params;
  const caller = await readCaller(session, signal);
  const path = admin('configuration', 'servers', name);
  const notice = element('div');
  const field = element('textarea', {
    id: 'server-text',
    class: 'configuration',
    rows: 18,
    spellcheck: 'false',
    autocomplete: 'off',
    'aria-describedby': 'server-text-words',
  });
  let revision = '';

  async function load() {
    const { data } = await session.call<Static<typeof serverConfigurationBody>>(path, { signal });
    field.value = data.text;
    ({ revision } = data);
    return data;
  }
  const save = () =>
    guarded(notice, async () => {
      const written = await reviewChange({
        title: `Change ${name}`,
        send: (isDryRun) =>
          session.call<Edited>(path, {
            method: 'PUT',
            body: { text: field.value, revision },
            query: { dry_run: isDryRun },
          }),
      });
      if (!written) return;
      const renamed = /^[ \t]*name[ \t]*=[ \t]*["']([^"']+)["']/m
        .exec(field.value)?.[1]
        ?.trim()
        .toLowerCase();
      if (renamed !== undefined && renamed !== name) {
        navigate('#/configuration');
        return;
      }
      await load();
      notice.replaceChildren(writtenNotice(written));
    });
  const remove = () =>
    guarded(notice, async () => {
      const written = await reviewChange({
        title: `Remove ${name}?`,
        confirm: 'Remove the server',
        isDangerous: true,
        send: (isDryRun) =>
          session.call<Edited>(path, { method: 'DELETE', query: { dry_run: isDryRun, revision } }),
      });
      if (written) navigate('#/configuration');
    });

  const data = await load();
  root.append(
    serverHead(place, 'configuration', caller),
    element(
      'div',
      { class: 'field' },
      element('label', { for: 'server-text' }, `[[servers]] of ${name}`),
      field,
      element(
        'p',
        { id: 'server-text-words', class: 'field-words' },
        `From ${data.path}. Values in the secrets file are not shown. The change is shown before it is written.`,
      ),
    ),
    notice,
    element(
      'div',
      { class: 'actions' },
      button('Review change', save),
      button('Remove server', remove, 'danger'),
    ),
  );
}
