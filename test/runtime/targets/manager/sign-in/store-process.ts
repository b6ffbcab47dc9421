// Increments a counter in a sign-in; the arguments are the folder and the number of increments.
import { openSignIns } from '#manager/sign-in/sign-in-store.ts';

const [folder = '', times = '0'] = process.argv.slice(2);
const store = openSignIns(folder, { env: {} });
const target = { server: 'far', url: 'https://far.example/mcp' };
for (let done = 0; done < Number(times); done += 1) {
  await store.update(target, (current) =>
    Promise.resolve({
      issuer: 'https://id.example',
      tokenEndpoint: 'https://id.example/token',
      redirectUri: 'http://127.0.0.1:1/callback',
      client: { id: 'client', authMethod: 'none' },
      tokens: { access: String(Number(current?.tokens?.access ?? 0) + 1) },
    }),
  );
  process.stdout.write('.');
}
