import type { Program } from '#serve/cli/command.ts';
import { licensesCommand } from '#serve/cli/licenses-command.ts';
import { versionCommand } from '#serve/cli/version-command.ts';
import { JSON_OPTION } from '#serve/cli/output-format.ts';
import { ALERT_COMMANDS } from './commands/alerts.ts';
import { ALIAS_COMMANDS } from './commands/aliases.ts';
import { CACHE_COMMANDS } from './commands/cache.ts';
import { CONFIG_COMMANDS } from './commands/config.ts';
import { BENCHMARK_COMMANDS } from './commands/benchmark/commands.ts';
import { EXPERIMENT_COMMANDS } from './commands/experiment/commands.ts';
import { INVITATION_COMMANDS } from './commands/invitations.ts';
import { JOB_COMMANDS } from './commands/job.ts';
import { serveCommand } from './commands/serve.ts';
import { auditCommand } from './commands/audit.ts';
import { backupCommand, restoreCommand } from './commands/backup.ts';
import { BUDGET_COMMANDS } from './commands/budgets.ts';
import { doctorCommand } from './commands/doctor.ts';
import { FEEDBACK_COMMANDS } from './commands/feedback.ts';
import { GUARDRAIL_COMMANDS } from './commands/guardrails.ts';
import { KEY_COMMANDS } from './commands/keys.ts';
import { loginCommand, logoutCommand, whoamiCommand } from './commands/sign-in.ts';
import { migrateCommand } from './commands/migrate.ts';
import { PRICING_COMMANDS } from './commands/pricing/commands.ts';
import { PROMPT_COMMANDS } from './commands/prompts.ts';
import { PROVIDER_COMMANDS } from './commands/providers.ts';
import { REQUEST_COMMANDS } from './commands/requests.ts';
import { SHADOW_COMMANDS } from './commands/shadow.ts';
import { TAG_COMMANDS } from './commands/tags.ts';
import { usageCommand } from './commands/usage.ts';
import { ORG_COMMANDS } from './commands/orgs.ts';
import { TEAM_COMMANDS } from './commands/teams.ts';
import { USER_COMMANDS } from './commands/users.ts';
import { completionCommand } from '#serve/cli/completion-command.ts';

/** The gateway commands. */
export const gatewayProgram: Program = {
  name: 'gateway',
  title: 'LLM gateway with API keys, users, budgets and usage tracking.',
  options: JSON_OPTION,
  commands: {
    serve: serveCommand,
    config: CONFIG_COMMANDS,
    benchmark: BENCHMARK_COMMANDS,
    experiment: EXPERIMENT_COMMANDS,
    job: JOB_COMMANDS,
    migrate: migrateCommand,
    'init-db': migrateCommand,
    keys: KEY_COMMANDS,
    users: USER_COMMANDS,
    teams: TEAM_COMMANDS,
    invitations: INVITATION_COMMANDS,
    orgs: ORG_COMMANDS,
    budgets: BUDGET_COMMANDS,
    tags: TAG_COMMANDS,
    alerts: ALERT_COMMANDS,
    providers: PROVIDER_COMMANDS,
    aliases: ALIAS_COMMANDS,
    shadow: SHADOW_COMMANDS,
    cache: CACHE_COMMANDS,
    pricing: PRICING_COMMANDS,
    usage: usageCommand,
    requests: REQUEST_COMMANDS,
    guardrails: GUARDRAIL_COMMANDS,
    audit: auditCommand,
    prompts: PROMPT_COMMANDS,
    feedback: FEEDBACK_COMMANDS,
    login: loginCommand,
    logout: logoutCommand,
    whoami: whoamiCommand,
    backup: backupCommand,
    restore: restoreCommand,
    doctor: doctorCommand,
    completion: completionCommand,
    version: versionCommand('gateway'),
    licenses: licensesCommand('gateway'),
  },
};
