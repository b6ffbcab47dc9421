import type { Place } from '#serve/http/pages/browser/start-app.ts';
import { formOf } from '#serve/http/pages/browser/components/form.ts';
import { element } from '#serve/http/pages/browser/dom.ts';
import { linkTo } from '#serve/http/pages/browser/route.ts';
import { admin, EDIT_HINT, readCaller } from '../shared/caller.ts';
import { type Edited, reviewChange } from './review.ts';

const texts = { type: 'array', items: { type: 'string' } };
const pairs = (title: string, description: string) => ({
  type: 'array',
  title,
  description,
  items: {
    type: 'object',
    title: 'Value',
    required: ['name', 'value'],
    properties: {
      name: { type: 'string', title: 'Name' },
      value: { type: 'string', title: 'Value' },
    },
  },
});

/** The settings that most servers need. Others can be added later by editing the server's text. */
const SCHEMA = {
  type: 'object',
  required: ['name', 'launch', 'tools'],
  properties: {
    name: {
      type: 'string',
      title: 'Name',
      description: 'Used in URLs and as a prefix of tool names, e.g. time.',
    },
    launch: {
      title: 'Source',
      oneOf: [
        {
          title: 'A package',
          type: 'object',
          required: ['package'],
          properties: {
            package: {
              type: 'string',
              title: 'Package',
              description:
                'With its version: uvx::mcp-server-time@2025.8.4, npx::@scope/name@1.0.0 or docker::image@tag.',
            },
            args: { ...texts, title: 'Arguments' },
          },
        },
        {
          title: 'A command',
          type: 'object',
          required: ['command'],
          properties: {
            command: { type: 'string', title: 'Command' },
            args: { ...texts, title: 'Arguments' },
          },
        },
        {
          title: 'A remote server',
          type: 'object',
          required: ['url'],
          properties: {
            url: { type: 'string', title: 'URL', description: 'For example https://mcp.example.com/mcp.' },
          },
        },
        {
          title: 'A REST API',
          type: 'object',
          required: ['openapi'],
          properties: {
            openapi: {
              type: 'string',
              title: 'OpenAPI document',
              description: 'URL or path of the document. The operations of the API become tools.',
            },
            base_url: {
              type: 'string',
              title: 'URL of the API',
              description: 'Instead of the server in the document.',
            },
            include: {
              ...texts,
              title: 'Operations to use',
              description: 'An ID, tag:name, GET /path/* or /path/*. By default all.',
            },
            exclude: { ...texts, title: 'Operations to leave out' },
          },
        },
      ],
    },
    tools: {
      ...texts,
      title: 'Allowed tools',
      description: 'Names or patterns. * allows all tools.',
      default: ['*'],
      minItems: 1,
    },
    env: pairs('Secret environment variables', 'Stored in the secrets file, and never shown again.'),
    headers: pairs(
      'Secret headers',
      'For remote servers and APIs. Stored in the secrets file, and never shown again.',
    ),
    credentials: pairs(
      'Credentials',
      'For APIs, by security scheme of the document. Stored in the secrets file, and never shown again.',
    ),
    lazy: { type: 'boolean', title: 'Start on the first call, and stop when idle' },
    read_only: { type: 'boolean', title: 'Allow only read-only tools' },
  },
};

interface NamedValue {
  readonly name: string;
  readonly value: string;
}

interface NewServer {
  readonly name: string;
  readonly launch: Readonly<Record<string, unknown>>;
  readonly tools: readonly string[];
  readonly env?: readonly NamedValue[];
  readonly headers?: readonly NamedValue[];
  readonly credentials?: readonly NamedValue[];
  readonly lazy?: boolean;
  readonly read_only?: boolean;
}

/** A form for a new server. Shows the change to the file before writing it. */
export async function showAdd({ root, session, signal, navigate }: Place) {
  const caller = await readCaller(session, signal);
  if (!caller.edit) {
    root.append(element('p', {}, EDIT_HINT));
    return;
  }
  root.append(
    formOf<NewServer>(SCHEMA, {
      values: { tools: ['*'] },
      submit: 'Review change',
      async onSubmit({ name, launch, env, headers, credentials, lazy, read_only: readOnly, tools }) {
        const settings = {
          ...launchOf(launch),
          tools,
          ...(lazy ? { lazy } : {}),
          ...(readOnly ? { read_only: readOnly } : {}),
        };
        const secrets = {
          ...(env?.length ? { env: recordOf(env) } : {}),
          ...(headers?.length ? { headers: recordOf(headers) } : {}),
          ...(credentials?.length ? { credentials: recordOf(credentials) } : {}),
        };
        const written = await reviewChange({
          title: `Add ${name}`,
          send: (isDryRun) =>
            session.call<Edited>(admin('configuration', 'servers'), {
              body: { name, settings, secrets },
              query: { dry_run: isDryRun },
            }),
        });
        if (written)
          navigate(linkTo(written.problem ? ['configuration'] : ['servers', name.trim().toLowerCase()]));
      },
    }),
  );
}

/** The settings of an API are in a table of their own. */
function launchOf(launch: Readonly<Record<string, unknown>>) {
  if (!('openapi' in launch)) return launch;
  const { openapi, ...api } = launch;
  return Object.keys(api).length > 0 ? { openapi, api } : { openapi };
}

const recordOf = (list: readonly NamedValue[]) =>
  Object.fromEntries(list.map(({ name, value }) => [name, value]));
