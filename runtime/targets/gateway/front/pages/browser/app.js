import { facts } from './components/facts.js';
import { EXPERIMENT_SECTIONS } from './experiments/sections.js';
import { createSession } from './session.js';
import { startApp } from './start-app.js';

const session = createSession();

startApp({
  title: 'gateway',
  session,
  links: [{ name: 'API docs', href: 'docs' }],
  sections: [
    {
      path: '',
      name: 'Overview',
      async show({ root, signal }) {
        const { data: about } = await session.call('./', { signal });
        const { data: models } = await session.call('v1/models', { signal });
        root.append(
          facts([
            ['Version', about.version],
            ['Models', String(models.data.length)],
          ]),
        );
      },
    },
    ...EXPERIMENT_SECTIONS,
  ],
});
