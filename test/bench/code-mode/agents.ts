import type { ModelCall } from './conversation.ts';

export const QUESTION =
  'Which three open issues with the label "bug" in the repositories of the organization acme have the highest number of comments? List repository, number, comments and the full name of the author.';

interface Repository {
  readonly name: string;
}
interface Issue {
  readonly number: number;
  readonly comments: number;
  readonly labels: readonly { readonly name: string }[];
  readonly user: { readonly login: string };
}
interface Found extends Pick<Issue, 'number' | 'comments'> {
  readonly repository: string;
  readonly login: string;
}

type Respond = (results: readonly string[], request: number) => readonly ModelCall[] | string;

const parse = (text = 'null'): unknown => JSON.parse(text);

/** The steps of the task with one call per tool. `call` returns a call in the form of the mode. */
function steps(call: (server: string, tool: string, args: object) => ModelCall): Respond {
  let repositories: readonly Repository[] = [];
  let top: readonly Found[] = [];
  return (results, step) => {
    if (step === 1) return [call('repos', 'repos_list_for_org', { org: 'acme' })];
    if (step === 2) {
      repositories = parse(results[0]) as readonly Repository[];
      return repositories.map(({ name }) =>
        call('issues', 'issues_list_for_repo', { owner: 'acme', repo: name, state: 'open', labels: 'bug' }),
      );
    }
    if (step === 3) {
      const found = results.flatMap((text, at) =>
        (parse(text) as readonly Issue[])
          .filter(({ labels }) => labels.some(({ name }) => name === 'bug'))
          .map(({ number, comments, user: { login } }) => ({
            repository: repositories[at]?.name ?? '',
            number,
            comments,
            login,
          })),
      );
      top = found
        .sort((one, other) => other.comments - one.comments || one.number - other.number)
        .slice(0, 3);
      return top.map(({ login }) => call('people', 'users_get_by_username', { username: login }));
    }
    return answerOf(
      top.map((one, at) => ({ ...one, author: (parse(results[at]) as { name: string }).name })),
    );
  };
}

const answerOf = (issues: readonly (Omit<Found, 'login'> & { readonly author: string })[]): string =>
  issues
    .map(
      ({ repository, number, comments, author }) =>
        `${repository}#${number}: ${comments} comments, ${author}`,
    )
    .join('\n');

const SEARCHES = ['list organization repositories', 'list repository issues', 'get user by username'];
const search = (query: string): ModelCall => ({ name: 'search_tools', arguments: { query, limit: 5 } });

const SCRIPT = `local repos = tools.repos.repos_list_for_org{ org = "acme" }
local found = {}
parallel(repos, function(repo)
  for _, issue in ipairs(tools.issues.issues_list_for_repo{ owner = "acme", repo = repo.name, state = "open", labels = "bug" }) do
    for _, label in ipairs(issue.labels) do
      if label.name == "bug" then
        table.insert(found, { repository = repo.name, number = issue.number, comments = issue.comments, login = issue.user.login })
      end
    end
  end
end)
table.sort(found, function(a, b)
  if a.comments ~= b.comments then return a.comments > b.comments end
  return a.number < b.number
end)
local top = { found[1], found[2], found[3] }
parallel(top, function(issue)
  issue.author = tools.people.users_get_by_username{ username = issue.login }.name
  issue.login = nil
end)
return top`;

/** The model's responses in each mode. The task and the answer are the same. */
export const AGENTS: Readonly<Record<'all' | 'search' | 'code', () => Respond>> = {
  all: () => steps((server, tool, args) => ({ name: `${server}__${tool}`, arguments: args })),
  search: () => {
    const next = steps((server, tool, args) => ({
      name: 'call_tool',
      arguments: { name: `${server}__${tool}`, arguments: args },
    }));
    return (results, request) => (request === 1 ? SEARCHES.map(search) : next(results, request - 1));
  },
  code: () => (results, request) => {
    if (request === 1) return SEARCHES.map(search);
    if (request === 2) {
      const text = results.join('\n');
      for (const tool of [
        'repos.repos_list_for_org',
        'issues.issues_list_for_repo',
        'people.users_get_by_username',
      ])
        if (!text.includes(`tools.${tool}{`)) throw new Error(`the search did not find ${tool}`);
      return [{ name: 'run_script', arguments: { script: SCRIPT } }];
    }
    return answerOf(parse(results[0]) as Parameters<typeof answerOf>[0]);
  },
};
