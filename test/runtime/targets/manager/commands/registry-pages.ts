const OFFICIAL = 'io.modelcontextprotocol.registry/official';
/** A package of an entry in the official format. */
export const npm = (identifier: string, version: string, more: object = {}) => ({
  registryType: 'npm',
  identifier,
  version,
  transport: { type: 'stdio' },
  ...more,
});
const listed = (name: string, more: object, meta: object = {}) => ({
  server: { name, description: `The ${name}.`, version: '1.0.0', ...more },
  _meta: { [OFFICIAL]: { status: 'active', isLatest: true, ...meta } },
});

/** Two pages in the registry format of 2025-12-11, and a server in the format of July 2025. */
export const PAGES = [
  {
    servers: [
      listed('io.github.ada/files', {
        title: 'Files',
        packages: [
          npm('@ada/files', '2.1.0', {
            runtimeArguments: [{ type: 'positional', value: '-y' }],
            packageArguments: [
              { type: 'named', name: '--mode', value: 'safe $HOME' },
              { type: 'named', name: '--token', isRequired: true },
              {
                type: 'positional',
                valueHint: 'dir',
                value: '{folder}',
                isRequired: true,
                variables: { folder: {} },
              },
              { type: 'named', name: '--verbose' },
            ],
            environmentVariables: [
              { name: 'API_KEY', isRequired: true, isSecret: true },
              { name: 'LEVEL', default: 'info' },
            ],
          }),
          { registryType: 'oci', identifier: 'docker.io/ada/files:2.1.0', transport: { type: 'stdio' } },
        ],
      }),
      listed('io.github.ada/old', { packages: [npm('old', '1.0.0')] }, { isLatest: false }),
      listed('io.github.ada/gone', { packages: [npm('gone', '1.0.0')] }, { status: 'deleted' }),
    ],
    metadata: { nextCursor: 'io.github.ada/files:2.1.0', count: 3 },
  },
  {
    servers: [
      listed('com.example/tickets', {
        remotes: [
          { type: 'streamable-http', url: 'https://{tenant}.example/mcp' },
          {
            type: 'streamable-http',
            url: 'https://tickets.example/mcp',
            headers: [{ name: 'X-Key', isRequired: true, isSecret: true }, { name: 'X-Other' }],
          },
        ],
      }),
      listed('com.example/tenants', {
        remotes: [
          {
            type: 'streamable-http',
            url: 'https://{tenant}.example/{region}/mcp?price=$5',
            headers: [
              { name: 'Authorization', isRequired: true, value: 'Bearer {token}' },
              { name: 'X-Client', value: 'any $HOME' },
            ],
            variables: {
              tenant: { description: 'Your subdomain', isRequired: true },
              region: { choices: ['eu', 'us'], default: 'eu' },
            },
          },
        ],
      }),
      listed('com.example/secret', {
        remotes: [
          {
            type: 'sse',
            url: 'https://x.example/{token}/sse',
            variables: { token: { isRequired: true, isSecret: true } },
          },
        ],
      }),
      listed('com.example/broken', {
        remotes: [{ type: 'streamable-http', url: 'https://{a b}.example/mcp' }],
      }),
      listed('com.example/stale', { packages: [npm('stale', '1.0.0')] }, { status: 'deprecated' }),
      listed('com.example/bundle', {
        packages: [{ registryType: 'mcpb', identifier: 'https://x.example/x.mcpb' }],
      }),
      listed('com.example/http', {
        packages: [npm('http', '1.0.0', { transport: { type: 'streamable-http' } })],
      }),
      listed('com.example/options', { packages: [npm('-x', '1.0.0')] }),
      {
        name: 'io.modelcontextprotocol/clock',
        description: 'Old format.',
        version_detail: { version: '1.0.2' },
        packages: [
          {
            registry_name: 'pypi',
            name: 'mcp-clock',
            version: '1.0.2',
            environment_variables: [{ name: 'ZONE', is_required: true }],
          },
        ],
      },
    ],
    metadata: { count: 9 },
  },
];

/** A catalog in Docker's format. */
export const CATALOG = `
registry:
  db:
    title: Database
    description: Queries a database.
    type: server
    image: acme/db:1.0@sha256:${'a'.repeat(64)}
    tools:
      - name: query
    secrets:
      - { name: db.password, env: DB_PASSWORD }
    env:
      - { name: DB_HOST, value: "{{db.host}}" }
      - { name: MODE, value: fixed }
    command: ["--config={{db.config-path}}", "--price=$5"]
    volumes: ["{{db.data_path}}:/data", "/etc:/etc"]
    metadata: { category: data, tags: [sql], license: MIT }
  far:
    type: remote
    remote: { url: "https://far.example/mcp", transport_type: sse, headers: { Authorization: "Bearer \${TOKEN}" } }
  box:
    type: poci
`;
