import type { PROVIDERS } from './start-gateway.ts';

export type ProviderName = (typeof PROVIDERS)[number];

/** One run of an agent. */
export interface AgentRun {
  /** The address of the gateway, without a path. */
  readonly url: string;
  readonly key: string;
  /** `provider:model`. */
  readonly model: string;
  readonly prompt: string;
  /** The file to edit, and its folder, which is the working directory. */
  readonly file: string;
  /** How to start the MCP server: a program and its arguments. */
  readonly mcp: readonly [string, ...string[]];
}

export interface AgentCommand {
  /** Files below the fresh home folder, by their path. */
  readonly files?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Commands that are run in order, with their arguments. */
  readonly commands: readonly (readonly string[])[];
}

export interface Agent {
  readonly name: string;
  readonly from: 'npm' | 'pypi';
  readonly package: string;
  /** The program that the package installs. */
  readonly bin: string;
  /** The API that it calls the gateway with. */
  readonly api: 'messages' | 'responses' | 'chat' | 'gemini';
  /** Whether it can use MCP servers without an extension. */
  readonly hasMcp: boolean;
  readonly start: (run: AgentRun) => AgentCommand;
}

const json = (value: unknown): string => JSON.stringify(value, null, 2);

const serversOf = ({ mcp: [command, ...args] }: AgentRun, more: object = {}): object => ({
  desk: { command, args, ...more },
});

const qwen = (api: Agent['api'], type: string, env: (run: AgentRun) => Record<string, string>): Agent => ({
  name: `Qwen Code (${api})`,
  from: 'npm',
  package: '@qwen-code/qwen-code',
  bin: 'qwen',
  api,
  hasMcp: true,
  start: (run) => ({
    files: {
      '.qwen/settings.json': json({
        security: { auth: { selectedType: type } },
        mcpServers: serversOf(run, { trust: true }),
        telemetry: { enabled: false },
        privacy: { usageStatisticsEnabled: false },
      }),
    },
    env: env(run),
    commands: [['--yolo', '--auth-type', type, '-m', run.model, '-p', run.prompt]],
  }),
});

/** The packages of opencode for each API, and the path of their base URL. */
const openCode = (api: Agent['api'], npm: string, path: string): Agent => ({
  name: `opencode (${npm})`,
  from: 'npm',
  package: 'opencode-ai',
  bin: 'opencode',
  api,
  hasMcp: true,
  start: (run) => ({
    files: {
      '.config/opencode/opencode.json': json({
        provider: {
          gateway: {
            npm,
            options: { baseURL: `${run.url}${path}`, apiKey: run.key },
            models: {
              [run.model]: { name: 'model', tool_call: true, limit: { context: 200_000, output: 8000 } },
            },
          },
        },
        mcp: { desk: { type: 'local', command: run.mcp, enabled: true } },
        permission: 'allow',
        autoupdate: false,
        share: 'disabled',
      }),
    },
    env: { OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' },
    commands: [['run', '-m', `gateway/${run.model}`, run.prompt]],
  }),
});

const pi = (api: Agent['api'], type: string, path: string): Agent => ({
  name: `pi (${type})`,
  from: 'npm',
  package: '@earendil-works/pi-coding-agent',
  bin: 'pi',
  api,
  hasMcp: false,
  start: (run) => ({
    files: {
      '.pi/agent/models.json': json({
        providers: {
          gateway: {
            baseUrl: `${run.url}${path}`,
            apiKey: run.key,
            api: type,
            models: [
              {
                id: run.model,
                name: 'model',
                reasoning: false,
                input: ['text'],
                contextWindow: 200_000,
                maxTokens: 8000,
                cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
              },
            ],
          },
        },
      }),
    },
    env: { PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1' },
    commands: [['-p', '--provider', 'gateway', '--model', run.model, run.prompt]],
  }),
});

/** Agents, each with the API that it uses. */
export const AGENTS: readonly Agent[] = [
  {
    name: 'Claude Code',
    from: 'npm',
    package: '@anthropic-ai/claude-code',
    bin: 'claude',
    api: 'messages',
    hasMcp: true,
    start: (run) => ({
      files: { 'mcp.json': json({ mcpServers: serversOf(run) }) },
      env: {
        ANTHROPIC_BASE_URL: run.url,
        ANTHROPIC_AUTH_TOKEN: run.key,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      },
      commands: [
        [
          '-p',
          run.prompt,
          '--model',
          run.model,
          '--mcp-config',
          '$HOME/mcp.json',
          '--allowedTools',
          'Read,Edit,Bash,ToolSearch,mcp__desk__stamp',
        ],
      ],
    }),
  },
  {
    name: 'Codex',
    from: 'npm',
    package: '@openai/codex',
    bin: 'codex',
    api: 'responses',
    hasMcp: true,
    start: (run) => ({
      files: {
        '.codex/config.toml': [
          'model_provider = "gateway"',
          '[model_providers.gateway]',
          'name = "gateway"',
          `base_url = "${run.url}/v1"`,
          'env_key = "GATEWAY_KEY"',
          'wire_api = "responses"',
          '[mcp_servers.desk]',
          `command = ${JSON.stringify(run.mcp[0])}`,
          `args = ${JSON.stringify(run.mcp.slice(1))}`,
        ].join('\n'),
      },
      env: { GATEWAY_KEY: run.key },
      commands: [
        [
          'exec',
          '--skip-git-repo-check',
          '--dangerously-bypass-approvals-and-sandbox',
          '-m',
          run.model,
          run.prompt,
        ],
      ],
    }),
  },
  {
    name: 'Gemini CLI',
    from: 'npm',
    package: '@google/gemini-cli',
    bin: 'gemini',
    api: 'gemini',
    hasMcp: true,
    start: (run) => ({
      files: {
        '.gemini/settings.json': json({
          security: { auth: { selectedType: 'gemini-api-key' } },
          mcpServers: serversOf(run, { trust: true }),
          privacy: { usageStatisticsEnabled: false },
        }),
      },
      env: { GOOGLE_GEMINI_BASE_URL: run.url, GEMINI_API_KEY: run.key },
      commands: [['--skip-trust', '--yolo', '-m', run.model, '-p', run.prompt]],
    }),
  },
  qwen('chat', 'openai', ({ url, key, model }) => ({
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_API_KEY: key,
    OPENAI_MODEL: model,
  })),
  qwen('messages', 'anthropic', ({ url, key, model }) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_MODEL: model,
  })),
  qwen('gemini', 'gemini', ({ url, key, model }) => ({
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_API_KEY: key,
    GEMINI_MODEL: model,
  })),
  openCode('chat', '@ai-sdk/openai-compatible', '/v1'),
  openCode('messages', '@ai-sdk/anthropic', '/v1'),
  openCode('responses', '@ai-sdk/openai', '/v1'),
  openCode('gemini', '@ai-sdk/google', '/v1beta'),
  pi('chat', 'openai-completions', '/v1'),
  pi('messages', 'anthropic-messages', ''),
  pi('responses', 'openai-responses', '/v1'),
  pi('gemini', 'google-generative-ai', '/v1beta'),
  {
    name: 'cline',
    from: 'npm',
    package: 'cline',
    bin: 'cline',
    api: 'chat',
    hasMcp: true,
    start: (run) => ({
      files: { '.cline/data/settings/cline_mcp_settings.json': json({ mcpServers: serversOf(run) }) },
      commands: [
        ['auth', '-p', 'openai', '-k', run.key, '-m', run.model, '-b', `${run.url}/v1`],
        ['--auto-approve', 'true', run.prompt],
      ],
    }),
  },
  {
    name: 'Continue',
    from: 'npm',
    package: '@continuedev/cli',
    bin: 'cn',
    api: 'chat',
    hasMcp: true,
    start: (run) => ({
      files: {
        'config.yaml': json({
          name: 'gateway',
          version: '1.0.0',
          schema: 'v1',
          models: [
            {
              name: 'model',
              provider: 'openai',
              model: run.model,
              apiBase: `${run.url}/v1`,
              apiKey: run.key,
              roles: ['chat'],
              capabilities: ['tool_use'],
            },
          ],
          mcpServers: [{ name: 'desk', command: run.mcp[0], args: run.mcp.slice(1) }],
        }),
      },
      env: { CONTINUE_TELEMETRY_ENABLED: '0' },
      commands: [['--auto', '--config', '$HOME/config.yaml', '-p', run.prompt]],
    }),
  },
  {
    name: 'aider',
    from: 'pypi',
    package: 'aider-chat',
    bin: 'aider',
    api: 'chat',
    hasMcp: false,
    start: (run) => ({
      env: {
        OPENAI_API_BASE: `${run.url}/v1`,
        OPENAI_API_KEY: run.key,
        LITELLM_LOCAL_MODEL_COST_MAP: 'True',
      },
      commands: [
        [
          '--model',
          `openai/${run.model}`,
          '--edit-format',
          'diff',
          '--yes-always',
          '--no-git',
          '--no-check-update',
          '--no-show-model-warnings',
          '--analytics-disable',
          '--no-detect-urls',
          '--message',
          run.prompt,
          run.file,
        ],
      ],
    }),
  },
  ...(['@kilocode/cli', '@sourcegraph/amp', '@charmland/crush', '@block/goose'] as const).map(notRun),
];

/** Agents that are only installed: the others say why they are not run. */
function notRun(name: string): Agent {
  return {
    name,
    from: 'npm',
    package: name,
    bin: '',
    api: 'chat',
    hasMcp: true,
    start: () => ({ commands: [] }),
  };
}
