import { AGENTS_OF_MANY_APIS } from './agents-of-many-apis.ts';
import { type Agent, json, serversOf } from './agent.ts';

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
  ...AGENTS_OF_MANY_APIS,
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
  notRun('@kilocode/cli', 'its setup needs a package for the platform that the registry does not have'),
  notRun('@sourcegraph/amp', 'it needs an account of its own service'),
  notRun('@charmland/crush', 'its setup downloads the program from GitHub'),
  notRun('@block/goose', 'npm does not have it'),
];

function notRun(name: string, reason: string): Agent {
  return {
    name,
    from: 'npm',
    package: name,
    bin: '',
    notRun: reason,
    api: 'chat',
    hasMcp: true,
    start: () => ({ commands: [] }),
  };
}
