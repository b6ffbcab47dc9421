import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from './blocks.ts';
import { GATEWAY, linkFixtures, quiet, type Session } from './session.ts';

/** A local provider in place of OpenAI, with published prices, and a gateway in front of it. */
const START: readonly Command[] = [
  { command: 'node fixtures/providers/openai.mjs', output: '{"url":"http://127.0.0.1:41973"}' },
  ...quiet(
    'export OPENAI_URL=http://127.0.0.1:41973/v1',
    'gateway migrate',
    'gateway budgets create --name monthly --amount 5 --every monthly',
    'gateway users create ada --budget monthly',
    'KEY=$(gateway keys create --name demo --user ada --rpm 60 --log-prompts on)',
    'gateway serve',
  ),
];

/** A user whose creation and update are in the audit log. */
const BLOCKED_USER = quiet(
  'gateway users create bob',
  `curl -X PATCH localhost:8000/v1/users/bob -H "X-Gateway-Key: Bearer $GATEWAY_MASTER_KEY" -H 'content-type: application/json' -d '{"blocked": true}'`,
);

/** The configuration of this gateway. */
function configureGateway(folder: string): void {
  linkFixtures(folder);
  const lines = [
    'providers: {openai: {api_key: none, api_base: "${OPENAI_URL}"}}',
    'aliases: {fast: openai:gpt-4o-mini}',
    'pricing:',
    '  openai:gpt-5-mini: {input_price_per_million: 0.25, output_price_per_million: 2}',
    '  openai:fails-502: {input_price_per_million: 0.25, output_price_per_million: 2}',
    '  openai:gpt-4o-mini: {input_price_per_million: 0.15, output_price_per_million: 0.6}',
    'cache: {ttl: 10m}',
    'feedback: {enabled: true}',
    String.raw`prompt_log: {redact: ['\S+@\S+']}`,
  ];
  writeFileSync(join(folder, 'gateway.yml'), `${lines.join('\n')}\n`, { mode: 0o600 });
}

/** Sessions with model requests. */
export const GATEWAY_IN_USE: readonly Session[] = [
  {
    page: 'docs/gateway.md',
    sections: [
      'gateway',
      'HTTP API',
      'Tags',
      'Keys',
      'Roles',
      'Filtering and sorting lists',
      'Cache',
      'Idempotency keys',
      'Audit log',
      'Stored prompts',
      'Feedback',
    ],
    before: [
      ...START,
      {
        command: 'gateway budgets create --name tag --amount 5 --calendar month',
        output: 'id 81acab24-b2ee-4a66-a601-295a8bdde55b',
      },
      ...quiet(
        'gateway teams create research',
        'gateway teams add-member research ada --role admin',
        'ADAS_KEY=$(gateway keys create --name manage --user ada --scope manage)',
      ),
      ...BLOCKED_USER,
    ],
    prepare: configureGateway,
    env: GATEWAY,
  },
  {
    page: 'docs/gateway-cli.md',
    sections: ['Usage', 'Requests and guardrail hits', 'Audit log and stored prompts', 'Feedback', 'Doctor'],
    shownFolder: '/tmp/demo',
    before: [
      ...START,
      ...['gpt-4o-mini', 'gpt-5-mini', 'gpt-5-mini', 'fails-502'].map((model) => ({
        command: `curl localhost:8000/v1/chat/completions -H "Authorization: Bearer $KEY" -H 'X-Request-Id: demo-${model}' -H 'content-type: application/json' -d '{"model": "openai:${model}", "messages": [{"role": "user", "content": "Write to ada@example.com"}]}'`,
        output: '',
      })),
      ...BLOCKED_USER,
      ...quiet('curl localhost:8000/v1/users -H "X-Gateway-Key: Bearer wrong"'),
    ],
    prepare: configureGateway,
    env: GATEWAY,
  },
];
