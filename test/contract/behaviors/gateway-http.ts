import type { Behaviors } from './behavior.ts';

/** What the gateway promises over HTTP, except for answers of models. */
export const GATEWAY_HTTP = {
  'gateway:credentials': {
    source: 'docs/gateway.md#http-api',
    behavior:
      'X-Gateway-Key takes precedence over Authorization, even if invalid, unless it is empty; x-api-key comes last and is used as is.',
  },
  'gateway:credentials:refused': {
    source: 'docs/gateway.md#errors',
    behavior: 'Each rejected credential returns 401 with its own message and code.',
  },
  'gateway:master': {
    source: 'docs/gateway.md#http-api',
    behavior:
      'Managing users, keys and budgets requires the master key; without it, the body is not even read.',
  },
  'gateway:audit': {
    source: 'docs/gateway.md#audit-log',
    behavior:
      'The audit log records every administrative change with its actor, address and request, including rejected attempts and reloads.',
  },
  'gateway:prompts': {
    source: 'docs/gateway.md#stored-prompts',
    behavior:
      'Requests and responses are stored only for keys with prompt logging, without secrets or configured patterns, and with streams joined.',
  },
  'gateway:master:none': {
    source: 'docs/gateway.md#http-api',
    behavior: 'Without a master key, admin endpoints return 503, whatever is sent.',
  },
  'gateway:errors': {
    source: 'docs/gateway.md#errors',
    behavior:
      'Every error is JSON with `detail` and `error` and has an X-Request-Id, including unknown paths and methods.',
  },
  'gateway:errors:values': {
    source: 'docs/gateway.md#errors',
    behavior:
      'Invalid values return 422 with all problems and the first invalid member; malformed JSON returns 400.',
  },
  'gateway:users': {
    source: 'docs/gateway.md#users-and-budgets',
    behavior:
      'Users can be created, listed, read, updated and deleted, with the fields and statuses of the API contract.',
  },
  'gateway:lists': {
    source: 'docs/gateway.md#filters-and-orders-of-lists',
    behavior: 'Lists of keys, users, teams and budgets can be searched, filtered and sorted.',
  },
  'gateway:users:twice': {
    source: 'docs/gateway.md#errors',
    behavior: 'Two concurrent requests that create the same user: one returns 409.',
  },
  'gateway:keys': {
    source: 'docs/gateway.md#keys',
    behavior:
      'Keys can be created, listed, read, deactivated, activated and deleted; each change applies immediately.',
  },
  'gateway:keys:once': {
    source: 'docs/gateway.md#keys',
    behavior: 'A key begins with gw- and is returned only in the response that creates it.',
  },
  'gateway:keys:expiry': {
    source: 'docs/gateway.md#keys',
    behavior: 'A key expires at its date; a past date is rejected, and null removes it.',
  },
  'gateway:keys:rotate': {
    source: 'docs/gateway.md#keys',
    behavior: 'A rotated key has a new value; the old one works for the requested grace period.',
  },
  'gateway:keys:me': {
    source: 'docs/gateway.md#keys',
    behavior: 'A key can read its used and remaining quota.',
  },
  'gateway:budgets': {
    source: 'docs/gateway.md#users-and-budgets',
    behavior: 'Budgets can be created, updated and assigned to users; an assigned budget cannot be deleted.',
  },
  'gateway:alerts': {
    source: 'docs/gateway.md#alerts',
    behavior: 'Budget alerts are listed, tested, and sent to a signed webhook.',
  },
  'gateway:tags': {
    source: 'docs/gateway.md#tags',
    behavior:
      'Request tags, from a header or the metadata, appear in the usage and can have budgets that apply across keys.',
  },
  'gateway:price-map': {
    source: 'docs/gateway.md#published-prices',
    behavior: 'Published prices can be searched, replaced as a whole, and reset.',
  },
  'gateway:teams': {
    source: 'docs/gateway.md#teams',
    behavior:
      "The budget, limits and models of a team and its organization apply to all of the team's keys, and usage can be grouped by team.",
  },
  'gateway:tenants': {
    source: 'docs/how-to/teams.md#who-sees-what',
    behavior:
      "Objects that a user created with a team's key are inaccessible to keys that others create for the user elsewhere, and to the next user with the same ID.",
  },
  'gateway:roles': {
    source: 'docs/gateway.md#roles',
    behavior:
      "A key with the scope manage has its user's role: admin, viewer, team admin, or member with access to their own keys and usage.",
  },
  'gateway:sign-in': {
    source: 'docs/gateway.md#sign-in',
    behavior:
      "Signing in with OpenID Connect opens a session with the roles of the user's groups; only the gateway's own pages can make changes.",
  },
  'gateway:providers': {
    source: 'docs/gateway.md#providers-and-aliases',
    behavior:
      'Providers and aliases can be created, updated and deleted at run time; entries from the file change only with the file, and those in use cannot be deleted.',
  },
  'gateway:pricing': {
    source: 'docs/gateway.md#prices-and-usage',
    behavior: 'Prices can be set and read for model names with colons and slashes, with their history.',
  },
  'gateway:usage': {
    source: 'docs/gateway.md#prices-and-usage',
    behavior:
      'Each model request appears in the usage with tokens and cost: individually, grouped, and over time.',
  },
  'gateway:usage:trends': {
    source: 'docs/gateway-pages.md#in-the-api-and-on-the-command-line',
    behavior:
      'The executable serves spending over time, percentiles, past requests with their attempts, and the browser pages.',
  },
  'gateway:usage:own': {
    source: 'docs/gateway.md#prices-and-usage',
    behavior: 'A key can read only its own usage.',
  },
  'gateway:usage:csv': {
    source: 'docs/gateway.md#prices-and-usage',
    behavior: 'Usage is available as CSV, by the Accept header or the format parameter.',
  },
  'gateway:free-calls': {
    source: 'docs/gateway.md#keys',
    behavior:
      "Token counting has its own rate limit: it does not consume a key's request limit, and calls to the provider are limited.",
  },
  'gateway:failing-user': {
    source: 'docs/gateway-config.md#providers',
    behavior: "Requests of one user that always fail do not open a model's circuit breaker for other users.",
  },
  'gateway:log-prompts-off': {
    source: 'docs/gateway.md#roles',
    behavior: 'A team admin cannot turn off the configured prompt log for a key.',
  },
  'gateway:models': {
    source: 'docs/gateway.md#http-api',
    behavior:
      'The list contains the models that the caller can use: provider models, aliases, and models with a price.',
  },
  'gateway:health': {
    source: 'docs/gateway.md#http-api',
    behavior:
      'The three legacy health routes work without a credential, in addition to /healthz and /readyz.',
  },
  'gateway:headers': {
    source: 'docs/gateway.md#errors',
    behavior: 'Every response has the security headers; only health responses can be cached publicly.',
  },
  'gateway:cors': {
    source: 'docs/gateway.md#errors',
    behavior: 'Web pages cannot call the API unless the configuration lists their origin.',
  },
  'gateway:metrics': {
    source: 'docs/gateway-telemetry.md#metrics',
    behavior: '/metrics is available unless disabled, and contains path patterns but no users.',
  },
  'gateway:openapi': {
    source: 'docs/gateway.md#http-api',
    behavior: 'The API is described in OpenAPI 3.1, as JSON, as YAML and as a page that works offline.',
  },
  'gateway:reload': {
    source: 'docs/gateway-config.md#reload-and-shutdown',
    behavior:
      'POST /v1/admin/reload applies a changed file, or reports its problems and keeps the previous configuration.',
  },
} satisfies Behaviors;
