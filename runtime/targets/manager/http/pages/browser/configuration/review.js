/** @import { Answer } from '../server.js' */
import { openDialog } from '../components/dialog.js';
import { element } from '../dom.js';
import { diffView } from './diff.js';

/**
 * Shows a change of the configuration file before it is written, and writes it when the user confirms it.
 * @param {object} options
 * @param {string} options.title
 * @param {(isDryRun: boolean) => Promise<Answer>} options.send
 * @param {string} [options.confirm] name of the button
 * @param {boolean} [options.isDangerous]
 * @returns {Promise<any>} the answer to the change; undefined if it was not written
 */
export async function reviewChange({ title, send, confirm = 'Write the file', isDangerous = false }) {
  const { data: preview } = await send(true);
  /** @type {any} */
  let written;
  const isUnchanged = preview.diff === '';
  const dialog = openDialog({
    title,
    wide: true,
    content: [
      ...(isUnchanged
        ? [element('p', {}, 'The file already has this content.')]
        : [element('p', {}, 'This changes the configuration file:'), diffView(preview.diff)]),
      ...preview.warnings.map((/** @type {string} */ words) => element('p', { class: 'hint' }, words)),
    ],
    actions: isUnchanged
      ? [{ name: 'Close', kind: 'quiet' }]
      : [
          { name: 'Cancel', kind: 'quiet' },
          {
            name: confirm,
            ...(isDangerous ? { kind: /** @type {const} */ ('danger') } : {}),
            async run() {
              ({ data: written } = await send(false));
            },
          },
        ],
  });
  await dialog.closed;
  return written;
}

/**
 * What happened after the file was written.
 * @param {any} answer
 */
export function writtenNotice({ applied, problem }) {
  if (problem) {
    return element(
      'div',
      { class: 'notice', role: 'alert' },
      element('strong', {}, 'The file was written, but the manager did not apply it'),
      element('p', {}, problem),
    );
  }
  const changes = ['added', 'removed', 'restarted', 'updated'].flatMap((kind) =>
    applied?.[kind]?.length > 0 ? [`${kind}: ${applied[kind].join(', ')}`] : [],
  );
  return element(
    'p',
    { class: 'state', role: 'status' },
    `The file was written. ${changes.length === 0 ? 'Nothing changed for the running servers.' : `Servers ${changes.join('; ')}.`}`,
  );
}
