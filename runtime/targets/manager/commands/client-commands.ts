import type { Command } from '#serve/cli/command.ts';
import { callAuditCommand } from './audit.ts';
import { callCommand } from './call.ts';
import { managerDoctorCommand } from './doctor.ts';
import { findingsCommand, releaseCommand } from './findings.ts';
import { inspectorCommand } from './inspector.ts';
import { logsCommand } from './logs.ts';
import { promptCommand, promptsCommand } from './prompts.ts';
import { reloadCommand } from './reload.ts';
import { readCommand, resourcesCommand } from './resources.ts';
import { restartCommand } from './restart.ts';
import { statusCommand } from './status.ts';
import { toolsCommand } from './tools.ts';

/** Commands that send requests to a running manager. */
export const CLIENT_COMMANDS: Record<string, Command> = {
  status: statusCommand,
  tools: toolsCommand,
  call: callCommand,
  prompts: promptsCommand,
  prompt: promptCommand,
  resources: resourcesCommand,
  read: readCommand,
  logs: logsCommand,
  audit: callAuditCommand,
  findings: findingsCommand,
  release: releaseCommand,
  restart: restartCommand,
  reload: reloadCommand,
  doctor: managerDoctorCommand,
  inspector: inspectorCommand,
};
