import type { Static } from 'typebox';
import type { secretLinkBody, userSecretsBody } from '#manager/http/schemas/user-secrets.ts';
import { byId, element } from '#serve/http/pages/browser/dom.ts';
import { call } from '#serve/http/pages/browser/server.ts';
import { createKeyForm } from './key-form.ts';

/** The page where users set their own secrets: those of a link, or all that servers require. */
const title = byId('title', HTMLHeadingElement);
const words = byId('words', HTMLParagraphElement);
const error = byId('error', HTMLDivElement);
const form = byId('secrets', HTMLFormElement);
const keyForm = createKeyForm();
const link = new URLSearchParams(location.search).get('link');
const linkPath = `api/v1/secret-links/${encodeURIComponent(link ?? '')}`;

/** Runs work with the manager, and shows its failure. */
async function attempt(work: () => Promise<void>, onFailure: () => void = () => {}) {
  error.textContent = '';
  try {
    await work();
  } catch (reason) {
    onFailure();
    error.textContent = reason instanceof Error ? reason.message : String(reason);
  }
}

/**
 * Prompts for the manager's key, so that the secrets are stored for the person at this browser rather than the one
 * who sent the link.
 */
function askForKey() {
  const why =
    'Enter your mcp-manager key to identify yourself. Only enter secrets if you have opened this page yourself.';
  keyForm.ask(why, () => void attempt(link === null ? showAll : showLink, askForKey));
}

async function showLink() {
  const { data } = await call<Static<typeof secretLinkBody>>(linkPath, { key: keyForm.key() });
  title.textContent = `Secrets for ${data.server}`;
  words.textContent = `${data.server} requires your own values. They are encrypted, and only used for you.`;
  const fields = data.secrets.map((name) => fieldOf(name));
  show([...fields.flatMap(({ row }) => row), element('button', { type: 'submit' }, 'Save')], async () => {
    const secrets = Object.fromEntries(fields.map(({ name, input }) => [name, input.value]));
    await call(linkPath, { body: { secrets }, key: keyForm.key() });
    form.hidden = true;
    words.textContent = 'Saved. You can close this page.';
  });
}

async function showAll() {
  const { data } = await call<Static<typeof userSecretsBody>>('api/v1/secrets', { key: keyForm.key() });
  words.textContent =
    data.secrets.length === 0
      ? 'No server that you can use requires a secret.'
      : 'Servers get these values only for you. An empty field keeps the value.';
  const fields = data.secrets.map(({ name, isSet, servers }) => {
    const users = servers.length === 0 ? 'not used' : `used by ${servers.join(', ')}`;
    const field = fieldOf(name, `${isSet ? 'set' : 'not set'}, ${users}`);
    const remove = element('button', { type: 'button' }, `Remove ${name}`);
    remove.addEventListener('click', () => void attempt(async () => await removed(name)));
    return { ...field, row: isSet ? [...field.row, remove] : field.row, isUsed: servers.length > 0 };
  });
  if (fields.length === 0) return;
  show([...fields.flatMap(({ row }) => row), element('button', { type: 'submit' }, 'Save')], async () => {
    for (const { name, input, isUsed } of fields) {
      if (input.value === '' || !isUsed) continue;
      await call(secretPath(name), { method: 'PUT', body: { value: input.value }, key: keyForm.key() });
    }
    await showAll();
    words.textContent = 'Saved.';
  });
}

async function removed(name: string) {
  await call(secretPath(name), { method: 'DELETE', key: keyForm.key() });
  await showAll();
  words.textContent = `Removed ${name}.`;
}

const secretPath = (name: string) => `api/v1/secrets/${encodeURIComponent(name)}`;

function fieldOf(name: string, about?: string) {
  const id = `secret-${name}`;
  const input = element('input', {
    id,
    type: 'password',
    autocomplete: 'off',
    spellcheck: 'false',
    required: link !== null,
  });
  const label = element('label', { for: id }, about === undefined ? name : `${name} (${about})`);
  return { name, input, row: [label, input] as Node[] };
}

/** Shows the form. The submit listener is replaced. */
function show(nodes: readonly Node[], save: () => Promise<void>) {
  form.replaceChildren(element('div', { class: 'key-row' }, ...nodes));
  form.hidden = false;
  form.onsubmit = (event) => {
    event.preventDefault();
    void attempt(save);
  };
}

askForKey();
