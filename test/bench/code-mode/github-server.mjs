// A server with the tools in a JSON file, of which three return data. Arguments: the file, and the name of the server.
import { readFileSync } from 'node:fs';
import { textResult } from '../../../fixtures/mcp-servers/lib/results.mjs';
import { RpcError, startServer } from '../../../fixtures/mcp-servers/lib/stdio-server.mjs';

const [file, name] = process.argv.slice(2);
const tools = JSON.parse(readFileSync(file, 'utf8'))
  .filter(({ server }) => server === name)
  .map(({ server: _server, ...tool }) => tool);

const WORDS =
  'The request fails after the latest update when the server restarts while a client is connected and waits'.split(
    ' ',
  );
const text = (seed, count) =>
  Array.from({ length: count }, (_, at) => WORDS[(seed * 7 + at * 3) % WORDS.length]).join(' ');
const user = (number) => ({
  login: `user-${number}`,
  id: 1000 + number,
  html_url: `https://github.com/user-${number}`,
  type: 'User',
});

const RESULTS = {
  repos_list_for_org: ({ org }) =>
    Array.from({ length: 6 }, (_, at) => ({
      id: at,
      name: `project-${at}`,
      full_name: `${org}/project-${at}`,
      private: false,
      html_url: `https://github.com/${org}/project-${at}`,
      description: text(at, 12),
      language: 'TypeScript',
      stargazers_count: at * 311,
      open_issues_count: 20,
      default_branch: 'main',
      updated_at: '2026-11-01T12:00:00Z',
    })),
  issues_list_for_repo: ({ owner, repo }) =>
    Array.from({ length: 20 }, (_, at) => {
      const seed = Number(repo.split('-')[1]) * 20 + at;
      return {
        id: seed,
        number: at + 1,
        html_url: `https://github.com/${owner}/${repo}/issues/${at + 1}`,
        state: 'open',
        title: text(seed, 8),
        body: text(seed, 60),
        user: user(seed % 9),
        labels: [{ name: seed % 3 === 0 ? 'bug' : 'feature', color: 'd73a4a' }],
        comments: (seed * 37) % 101,
        created_at: '2026-10-01T12:00:00Z',
        updated_at: '2026-10-20T12:00:00Z',
      };
    }),
  users_get_by_username: ({ username }) => ({
    ...user(Number(username.split('-')[1])),
    name: `Person ${username.split('-')[1]}`,
    company: 'Example',
    bio: text(3, 20),
    public_repos: 12,
    followers: 40,
  }),
};

startServer({
  name,
  methods: {
    'tools/list': () => ({ tools }),
    'tools/call': ({ name: tool, arguments: args = {} }) => {
      if (!Object.hasOwn(RESULTS, tool)) throw new RpcError(-32602, `Unknown tool: ${tool}`);
      return textResult(JSON.stringify(RESULTS[tool](args)));
    },
  },
});
