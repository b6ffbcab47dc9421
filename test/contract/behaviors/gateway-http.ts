import type { Behaviors } from './behavior.ts';

/** What the gateway promises over HTTP, except for answers of models. */
export const GATEWAY_HTTP = {
  'gateway:credentials': {
    source: 'docs/gateway.md#http-api',
    behavior:
      'X-Gateway-Key counts before Authorization, wrong or not, and an empty one does not; x-api-key is taken last, as it is.',
  },
  'gateway:credentials:refused': {
    source: 'docs/gateway.md#errors',
    behavior: 'Every reason to refuse a credential has its sentence and its code, with 401.',
  },
  'gateway:master': {
    source: 'docs/gateway.md#http-api',
    behavior: 'Users, keys and budgets are for the master key; a body is not even read before.',
  },
  'gateway:audit': {
    source: 'docs/gateway.md#audit-log',
    behavior:
      'Every administrative change is in the audit log with its actor, address and request, refused attempts and reloads too.',
  },
  'gateway:prompts': {
    source: 'docs/gateway.md#stored-prompts',
    behavior:
      'Requests and answers are stored for keys that are logged and no others, without secrets and configured patterns, streams joined.',
  },
  'gateway:master:none': {
    source: 'docs/gateway.md#http-api',
    behavior: 'Without a master key all that is administered is 503, whatever is sent.',
  },
  'gateway:errors': {
    source: 'docs/gateway.md#errors',
    behavior:
      'Every error is JSON with `detail` and `error`, for unknown paths and methods too, and has an X-Request-Id.',
  },
  'gateway:errors:values': {
    source: 'docs/gateway.md#errors',
    behavior:
      'Wrong values are 422 with all that is wrong, and the first member that is; broken JSON is 400.',
  },
  'gateway:users': {
    source: 'docs/gateway.md#users-and-budgets',
    behavior:
      'Users are made, listed, read, changed and deleted, with all fields and the statuses of before.',
  },
  'gateway:lists': {
    source: 'docs/gateway.md#filters-and-orders-of-lists',
    behavior: 'Lists of keys, users, teams and budgets are searched, filtered and sorted.',
  },
  'gateway:users:twice': {
    source: 'docs/gateway.md#errors',
    behavior: 'Of two parallel requests that create one user, one gets 409.',
  },
  'gateway:keys': {
    source: 'docs/gateway.md#keys',
    behavior:
      'Keys are created, listed, read, deactivated, activated and deleted; each change applies immediately.',
  },
  'gateway:keys:once': {
    source: 'docs/gateway.md#keys',
    behavior: 'A key begins with gw- and is shown in the answer that made it, and in no other.',
  },
  'gateway:keys:expiry': {
    source: 'docs/gateway.md#keys',
    behavior: 'A key expires at its date; a date that is over is refused, and null takes it away.',
  },
  'gateway:keys:rotate': {
    source: 'docs/gateway.md#keys',
    behavior: 'A rotated key has a new value; the old one works as long as asked for.',
  },
  'gateway:keys:me': {
    source: 'docs/gateway.md#keys',
    behavior: 'A key can read what is used and left of its quota.',
  },
  'gateway:budgets': {
    source: 'docs/gateway.md#users-and-budgets',
    behavior: 'Budgets are made, changed and given to users; one that is given is not deleted.',
  },
  'gateway:alerts': {
    source: 'docs/gateway.md#alerts',
    behavior: 'Alerts about budgets are sent to a signed webhook, listed, and tested.',
  },
  'gateway:tags': {
    source: 'docs/gateway.md#tags',
    behavior:
      'Tags of requests, in a header or in metadata, are in the usage and have budgets, which limit all keys.',
  },
  'gateway:price-map': {
    source: 'docs/gateway.md#published-prices',
    behavior: 'Published prices are searched, replaced as a whole, and reset.',
  },
  'gateway:teams': {
    source: 'docs/gateway.md#teams',
    behavior:
      'The budget, limits and models of a team and its organization apply to all keys of the team, and the usage is there by team.',
  },
  'gateway:tenants': {
    source: 'docs/how-to/teams.md#who-sees-what',
    behavior:
      'What a user created with a key of a team is out of reach of keys that others create for the user elsewhere, and of the next user with the id.',
  },
  'gateway:roles': {
    source: 'docs/gateway.md#roles',
    behavior:
      'A key with the scope manage has the role of its user: admin, viewer, admin of a team, or member with the own keys and usage.',
  },
  'gateway:sign-in': {
    source: 'docs/gateway.md#sign-in',
    behavior:
      'A sign-in by OpenID Connect opens a session with the roles of groups; changes come from the gateway’s own pages only.',
  },
  'gateway:providers': {
    source: 'docs/gateway.md#providers-and-aliases',
    behavior:
      'Providers and aliases are created, changed and deleted at run time; those of the file only by the file, and one in use not at all.',
  },
  'gateway:pricing': {
    source: 'docs/gateway.md#prices-and-usage',
    behavior: 'Prices are set and read by models whose names hold colons and slashes, with their history.',
  },
  'gateway:usage': {
    source: 'docs/gateway.md#prices-and-usage',
    behavior: 'Each request to a model is in the usage with tokens and cost: one by one, grouped, by time.',
  },
  'gateway:usage:trends': {
    source: 'docs/gateway-pages.md#in-the-api-and-on-the-command-line',
    behavior:
      'Spending over time, percentiles, past requests with their attempts and the pages for browsers are served by the executable.',
  },
  'gateway:usage:own': {
    source: 'docs/gateway.md#prices-and-usage',
    behavior: 'A key reads its own usage, and no other usage.',
  },
  'gateway:usage:csv': {
    source: 'docs/gateway.md#prices-and-usage',
    behavior: 'The usage is there as CSV, by the header Accept or by format.',
  },
  'gateway:free-calls': {
    source: 'docs/gateway.md#keys',
    behavior:
      'Counts of tokens have a rate limit of their own: they neither take from the requests of a key nor reach the provider without end.',
  },
  'gateway:failing-user': {
    source: 'docs/gateway-config.md#providers',
    behavior: 'Requests of one user that always fail do not open the circuit breaker of a model for others.',
  },
  'gateway:log-prompts-off': {
    source: 'docs/gateway.md#roles',
    behavior: 'An admin of a team cannot switch the prompt log of the configuration off for a key.',
  },
  'gateway:models': {
    source: 'docs/gateway.md#http-api',
    behavior: 'Models are listed that the caller may use: of providers, aliases, and those with a price.',
  },
  'gateway:health': {
    source: 'docs/gateway.md#http-api',
    behavior:
      'The three health routes answer as before, without a credential, in addition to /healthz and /readyz.',
  },
  'gateway:headers': {
    source: 'docs/gateway.md#errors',
    behavior: 'Every answer has the security headers; only health may be kept by anyone.',
  },
  'gateway:cors': {
    source: 'docs/gateway.md#errors',
    behavior: 'Web pages may not call, unless the configuration names their origin.',
  },
  'gateway:metrics': {
    source: 'docs/gateway-telemetry.md#metrics',
    behavior: '/metrics is there unless turned off, with patterns of paths and no users.',
  },
  'gateway:openapi': {
    source: 'docs/gateway.md#http-api',
    behavior: 'The API is described as OpenAPI 3.1, as JSON, as YAML and as a page that needs no internet.',
  },
  'gateway:reload': {
    source: 'docs/gateway-config.md#reload-and-shutdown',
    behavior: 'POST /v1/admin/reload applies a changed file, or reports its problems and keeps the old one.',
  },
} satisfies Behaviors;
