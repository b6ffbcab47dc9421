import { showAudit } from './audit.ts';
import { showClients } from './clients.ts';
import { showAdd } from './configuration/add.ts';
import { showConfiguration } from './configuration/edit.ts';
import { showConfigurationFile } from './configuration/list.ts';
import { showFindings } from './findings.ts';
import { showGroup, showNewGroup } from './groups/edit.ts';
import { showGroups } from './groups/list.ts';
import { showKeys, showNewKey } from './keys/list.ts';
import { showPins } from './pins.ts';
import { showAllPrompts, showAllResources, showTools } from './search.ts';
import { showServers } from './servers/list.ts';
import { showLog } from './servers/log.ts';
import { showServer } from './servers/overview.ts';
import { showPrompt, showPrompts } from './servers/prompts.ts';
import { showResources } from './servers/resources.ts';
import { showServerTools } from './servers/tools.ts';
import { createSession } from '#serve/http/pages/browser/session.ts';
import { startApp } from '#serve/http/pages/browser/start-app.ts';
import { showTool } from './tool.ts';

startApp({
  title: 'mcp-manager',
  session: createSession(),
  links: [{ name: 'API docs', href: 'docs' }],
  sections: [
    { path: '', name: 'Servers', group: 'Use', show: showServers },
    { path: 'tools', name: 'Tools', group: 'Use', show: showTools },
    { path: 'prompts', name: 'Prompts', group: 'Use', show: showAllPrompts },
    { path: 'resources', name: 'Resources', group: 'Use', show: showAllResources },
    { path: 'clients', name: 'Connect a client', group: 'Use', show: showClients },
    { path: 'groups', name: 'Groups', group: 'Use', show: showGroups },
    { path: 'configuration', name: 'Configuration', group: 'Manage', show: showConfigurationFile },
    { path: 'add', name: 'Add a server', group: 'Manage', show: showAdd },
    { path: 'keys', name: 'Keys', group: 'Manage', show: showKeys },
    { path: 'pins', name: 'Pins and approvals', group: 'Manage', show: showPins },
    { path: 'findings', name: 'Findings', group: 'Manage', show: showFindings },
    { path: 'audit', name: 'Audit log', group: 'Manage', show: showAudit },
    { path: 'groups/:name', show: showGroup },
    { path: 'new-group', title: 'New group', parent: 'groups', show: showNewGroup },
    { path: 'keys/new', title: 'New key', show: showNewKey },
    { path: 'servers/:name', parent: '', show: showServer },
    { path: 'servers/:name/log', parent: '', show: showLog },
    { path: 'servers/:name/tools', parent: '', show: showServerTools },
    { path: 'servers/:name/prompts', parent: '', show: showPrompts },
    { path: 'servers/:name/prompts/:prompt', parent: '', show: showPrompt },
    { path: 'servers/:name/resources', parent: '', show: showResources },
    { path: 'servers/:name/configuration', parent: '', show: showConfiguration },
    { path: 'tools/:server/:tool', show: showTool },
  ],
});
