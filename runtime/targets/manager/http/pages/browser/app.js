import { showAudit } from './audit.js';
import { showClients } from './clients.js';
import { showAdd } from './configuration/add.js';
import { showConfiguration } from './configuration/edit.js';
import { showConfigurationFile } from './configuration/list.js';
import { showGroup } from './groups/edit.js';
import { showGroups } from './groups/list.js';
import { showNewGroup } from './groups/new.js';
import { showKeys } from './keys/list.js';
import { showNewKey } from './keys/new.js';
import { showPins } from './pins.js';
import { showAllPrompts } from './search/prompts.js';
import { showAllResources } from './search/resources.js';
import { showServers } from './servers/list.js';
import { showLog } from './servers/log.js';
import { showServer } from './servers/overview.js';
import { showPrompt } from './servers/prompt.js';
import { showPrompts } from './servers/prompts.js';
import { showResources } from './servers/resources.js';
import { showServerTools } from './servers/tools.js';
import { createSession } from './session.js';
import { startApp } from './start-app.js';
import { showTools } from './tools/search.js';
import { showTool } from './tools/tool.js';

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
