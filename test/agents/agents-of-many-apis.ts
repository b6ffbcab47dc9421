import { type Agent, type AgentRun, json, serversOf } from './agent.ts';

// Agents that can call models with several APIs. Each API is listed as a separate agent.

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
    // Otherwise, the agent starts before the tools of its MCP servers are available.
    env: { ...env(run), QWEN_CODE_LEGACY_MCP_BLOCKING: '1' },
    commands: [['--yolo', '--auth-type', type, '-m', run.model, '-p', run.prompt]],
  }),
});

/** The opencode package for each API, and the path of its base URL. */
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

export const AGENTS_OF_MANY_APIS: readonly Agent[] = [
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
];
