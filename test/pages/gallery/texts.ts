/** Text that would be dangerous as HTML. */
export const HOSTILE = '<img src=x onerror=alert(1)><script>alert(2)</script>';

/** A word that is too long for any line. */
export const LONG = 'a-very-long-name-without-any-space-'.repeat(8);

/** A schema with all kinds of fields. */
export const SCHEMA = {
  type: 'object',
  required: ['name', 'retries', 'transport'],
  properties: {
    name: {
      type: 'string',
      title: 'Name',
      description: 'Letters, digits and dashes.',
      minLength: 2,
      maxLength: 40,
      pattern: '^[\\w-]+$',
    },
    retries: { type: 'integer', title: 'Retries', minimum: 0, maximum: 10, default: 3 },
    ratio: { type: ['number', 'null'], title: 'Ratio', minimum: 0, maximum: 1 },
    level: { enum: ['debug', 'info', 'warn'], title: 'Log level' },
    active: { type: 'boolean', title: 'Active', description: 'Inactive servers are not started.' },
    notes: { type: 'string', title: 'Notes', maxLength: 2000 },
    tags: { type: 'array', title: 'Tags', items: { type: 'string' }, maxItems: 3 },
    limits: { $ref: '#/$defs/limits' },
    transport: {
      title: 'Transport',
      oneOf: [
        {
          type: 'object',
          title: 'stdio',
          required: ['type', 'command'],
          properties: { type: { const: 'stdio' }, command: { type: 'string', title: 'Command' } },
        },
        {
          type: 'object',
          title: 'http',
          required: ['type', 'url'],
          properties: { type: { const: 'http' }, url: { type: 'string', format: 'uri', title: 'URL' } },
        },
      ],
    },
    extra: { type: 'object', title: 'Extra', additionalProperties: true },
  },
  $defs: {
    limits: {
      type: 'object',
      title: 'Limits',
      required: ['tokens'],
      properties: { tokens: { type: 'integer', title: 'Tokens' }, cost: { type: 'number', title: 'Cost' } },
    },
  },
};
