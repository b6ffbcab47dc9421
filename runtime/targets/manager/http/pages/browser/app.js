import { facts } from './components/facts.js';
import { createSession } from './session.js';
import { startApp } from './start-app.js';

const session = createSession();

startApp({
  title: 'mcp-manager',
  session,
  links: [{ name: 'API docs', href: 'docs' }],
  sections: [
    {
      path: '',
      name: 'Servers',
      async show({ root, signal }) {
        const { data: document } = await session.call('openapi.json', { signal });
        const { data } = await session.call('api/v1/servers', { signal });
        root.append(
          facts([
            ['API version', document.info.version],
            ['Servers', String((data ?? []).length)],
          ]),
        );
      },
    },
  ],
});
