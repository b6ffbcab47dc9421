import type { Behaviors } from './behavior.ts';

/** Documented behavior of the gateway over HTTP, except for model responses. */
export const GATEWAY_HTTP = {
  'gateway:credentials': {
    source: 'docs/gateway.md#http-api',
    behavior:
      'X-Gateway-Key takes precedence over Authorization, even if the key is invalid, unless the header is empty; x-api-key has the lowest precedence, and its value is used unchanged.',
  },
  'gateway:credentials:refused': {
    source: 'docs/gateway.md#errors',
    behavior: 'Each type of rejected credential returns 401 with its own message and code.',
  },
  'gateway:master': {
    source: 'docs/gateway.md#http-api',
    behavior:
      'Managing users, keys and budgets requires the master key; without it, a request is rejected before its body is read.',
  },
  'gateway:audit': {
    source: 'docs/gateway.md#audit-log',
    behavior:
      'The audit log records every administrative change with its actor, address and request, as well as rejected attempts and reloads.',
  },
  'gateway:prompts': {
    source: 'docs/gateway.md#stored-prompts',
    behavior:
      'Requests and responses are stored only for keys with prompt logging; secrets and text that matches configured patterns are removed, and the chunks of a stream are joined.',
  },
  'gateway:feedback': {
    source: 'docs/gateway.md#feedback',
    behavior:
      'The key of a request can judge its response, also if it was streamed, cached or failed; other keys receive 404.',
  },
  'gateway:feedback:realtime': {
    source: 'docs/gateway.md#feedback',
    behavior:
      'The key of a realtime session can judge its responses while it is open and afterwards, by the request ID of the handshake.',
  },
  'gateway:dataset-from-requests': {
    source: 'docs/how-to/datasets-from-traffic.md#create-the-dataset',
    behavior:
      'Stored requests become a dataset: selected by tag, without personal data that an encoder finds, and without near-duplicates.',
  },
  'gateway:master:none': {
    source: 'docs/gateway.md#http-api',
    behavior: 'Without a master key, admin endpoints return 503, regardless of the request.',
  },
  'gateway:errors': {
    source: 'docs/gateway.md#errors',
    behavior:
      'Every error, including those for unknown paths and methods, is JSON with `detail` and `error`, and has an X-Request-Id.',
  },
  'gateway:errors:values': {
    source: 'docs/gateway.md#errors',
    behavior:
      'Invalid values return 422 with all problems and the name of the first invalid field; malformed JSON returns 400.',
  },
  'gateway:users': {
    source: 'docs/gateway.md#users-and-budgets',
    behavior:
      'Users can be created, listed, read, updated and deleted, with the fields and statuses defined in the API contract.',
  },
  'gateway:lists': {
    source: 'docs/gateway.md#filtering-and-sorting-lists',
    behavior: 'Lists of keys, users, teams and budgets can be searched, filtered and sorted.',
  },
  'gateway:users:twice': {
    source: 'docs/gateway.md#errors',
    behavior: 'If two concurrent requests create the same user, one of them returns 409.',
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
    behavior: 'A key expires on its expiry date; a past date is rejected, and null removes the date.',
  },
  'gateway:keys:rotate': {
    source: 'docs/gateway.md#keys',
    behavior: 'A rotated key has a new value; the old one works for the requested grace period.',
  },
  'gateway:keys:me': {
    source: 'docs/gateway.md#keys',
    behavior: 'A key can read its own used and remaining quota.',
  },
  'gateway:budgets': {
    source: 'docs/gateway.md#users-and-budgets',
    behavior: 'Budgets can be created, updated and assigned to users; an assigned budget cannot be deleted.',
  },
  'gateway:alerts': {
    source: 'docs/gateway.md#alerts',
    behavior: 'Budget alerts can be listed and tested, and are sent as signed webhook requests.',
  },
  'gateway:tags': {
    source: 'docs/gateway.md#tags',
    behavior:
      'Request tags from a header or the metadata appear in the usage and can have budgets that apply across keys.',
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
      "Objects that a user creates with a team's key are inaccessible to keys that others create for this user elsewhere, and to a later user with the same ID.",
  },
  'gateway:roles': {
    source: 'docs/gateway.md#roles',
    behavior:
      'A key with the `manage` scope has the role of its user: admin, viewer, team admin, or member with access to their own keys and usage.',
  },
  'gateway:workloads': {
    source: 'docs/gateway.md#workloads',
    behavior:
      'Tokens of a configured issuer call models with the limits that their claims select, in all headers and threads and at all gateways with the same database; other tokens are rejected, and no token manages the gateway.',
  },
  'gateway:sign-in': {
    source: 'docs/gateway.md#sign-in',
    behavior:
      "Signing in with OpenID Connect opens a session with the roles that the user's groups grant; only the gateway's own pages can use it to make changes.",
  },
  'gateway:providers': {
    source: 'docs/gateway.md#providers-and-aliases',
    behavior:
      'Providers and aliases can be created, updated and deleted at run time; entries from the file can be changed only in the file, and entries in use cannot be deleted.',
  },
  'gateway:ab': {
    source: 'docs/how-to/ab-tests.md#start',
    behavior:
      'An A/B test gives each user one variant and reports it in a header; a candidate that fails is replaced by the alias’s targets; its candidate is promoted.',
  },
  'gateway:shadow': {
    source: 'docs/how-to/shadow.md#read-the-verdict',
    behavior:
      'A shadow evaluation compares the requests of permitted keys and reports its verdict; its candidate is promoted only with the verdict not_worse or if forced, and never in the file.',
  },
  'gateway:pricing': {
    source: 'docs/gateway.md#prices-and-usage',
    behavior: 'Prices can be set and read for model names with colons and slashes, including their history.',
  },
  'gateway:usage': {
    source: 'docs/gateway.md#prices-and-usage',
    behavior:
      'Each model request appears in the usage with its tokens and cost: individually, grouped, and over time.',
  },
  'gateway:usage:trends': {
    source: 'docs/gateway-pages.md#api-and-command-line-equivalents',
    behavior:
      'The executable serves spending over time, percentiles and past requests with their attempts, as well as the browser pages.',
  },
  'gateway:usage:zones': {
    source: 'docs/gateway.md#prices-and-usage',
    behavior: 'Usage can be aggregated by hour, day, week or month in any time zone.',
  },
  'gateway:forecasts': {
    source: 'docs/gateway.md#forecasts',
    behavior:
      'Forecasts of budgets can be listed by kind of owner; those of one owner contain the course of the spending.',
  },
  'gateway:usage:own': {
    source: 'docs/gateway.md#prices-and-usage',
    behavior: 'A key can read only its own usage.',
  },
  'gateway:usage:csv': {
    source: 'docs/gateway.md#prices-and-usage',
    behavior: 'Usage is available as CSV, selected by the Accept header or the format parameter.',
  },
  'gateway:free-calls': {
    source: 'docs/gateway.md#keys',
    behavior:
      "Token counting has a separate rate limit: it does not count toward the key's request limit, but its calls to the provider are limited.",
  },
  'gateway:failing-user': {
    source: 'docs/gateway-config.md#providers',
    behavior:
      "Requests from one user that always fail do not open a model's circuit breaker for other users.",
  },
  'gateway:log-prompts-off': {
    source: 'docs/gateway.md#roles',
    behavior: 'A team admin cannot turn off configured prompt logging for a key.',
  },
  'gateway:models': {
    source: 'docs/gateway.md#http-api',
    behavior:
      'The model list contains the models that the caller can use: provider models, aliases, and models with a price.',
  },
  'gateway:health': {
    source: 'docs/gateway.md#http-api',
    behavior: 'The three legacy health routes work without a credential, as do /healthz and /readyz.',
  },
  'gateway:headers': {
    source: 'docs/gateway.md#errors',
    behavior: 'Every response has the security headers, and only health responses can be cached publicly.',
  },
  'gateway:cors': {
    source: 'docs/gateway.md#errors',
    behavior: 'Web pages cannot call the API unless the configuration lists their origin.',
  },
  'gateway:metrics': {
    source: 'docs/gateway-telemetry.md#metrics',
    behavior: '/metrics is available unless it is disabled, and contains path patterns but no user names.',
  },
  'gateway:openapi': {
    source: 'docs/gateway.md#http-api',
    behavior:
      'The OpenAPI 3.1 description of the API is available as JSON, as YAML and as a page that works offline.',
  },
  'gateway:reload': {
    source: 'docs/gateway-config.md#reload-and-shutdown',
    behavior:
      'POST /v1/admin/reload applies a changed file, or reports its problems and keeps the previous configuration.',
  },
} satisfies Behaviors;
