// The index of decisions: by subject, one line each with number, title and status.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The decisions of each subject. Add a new decision to one of them. */
const SUBJECTS = {
  'Model executables: the file': '0001 0002 0003 0007 0022 0037 0048 0051 0052 0053 0072 0073 0094 0188 0205',
  'Building models':
    '0006 0021 0024 0056 0057 0061 0062 0063 0079 0126 0139 0147 0157 0161 0163 0164 0166 0168 0169 0170 0171 0172 0175 0174 0177 0173 0178 0185 0186 0187 0193 0201',
  'Tokenizers and texts': '0011 0055 0058 0129',
  'Model types and results':
    '0005 0013 0023 0025 0026 0047 0064 0065 0066 0067 0068 0069 0070 0146 0162 0180 0181 0182',
  'Inference and its speed':
    '0004 0009 0010 0012 0071 0074 0096 0127 0140 0167 0179 0184 0191 0194 0195 0203',
  'Protocols of served models': '0059 0060 0165 0196',
  'mcp-manager: servers and their processes': '0015 0034 0099 0100 0121 0138',
  'mcp-manager: MCP and tools':
    '0014 0016 0017 0031 0032 0033 0101 0102 0103 0104 0152 0156 0189 0190 0197 0200 0202 0206 0208 0209 0212 0220 0222',
  'mcp-manager: access and sign-in': '0092 0093 0114 0120 0135 0141 0142 0207',
  'gateway: requests, providers and routing':
    '0028 0030 0035 0077 0078 0083 0084 0085 0086 0087 0090 0091 0095 0097 0098 0109 0132 0136 0149 0192 0198 0210 0217 0219 0223',
  'gateway: money and usage': '0018 0027 0029 0075 0076 0080 0081 0112 0137 0144 0199 0211 0213',
  'gateway: users and their data': '0082 0088 0089 0124 0130 0131 0145 0153 0158 0214 0216',
  'Workflows and experiments':
    '0019 0036 0039 0049 0105 0106 0107 0108 0116 0117 0118 0119 0122 0143 0183 0215 0218 0221',
  'All programs': '0020 0038 0041 0042 0043 0044 0045 0046 0050 0054 0133 0134 0148 0150 0154 0159 0160 0204',
  'Pages and documentation': '0110 0111 0115 0123 0125 0128',
  'The repository': '0008 0040 0151 0155',
};

/** The text of docs/decisions/README.md. Throws if a decision has no subject, or a subject lists a nonexistent decision. */
export function decisionIndex(folder) {
  const files = readdirSync(folder).filter((name) => /^\d{4}-.*\.md$/.test(name));
  const byNumber = new Map(files.map((name) => [name.slice(0, 4), name]));
  const groups = Object.entries(SUBJECTS).map(([subject, numbers]) => ({
    subject,
    numbers: numbers.split(' '),
  }));
  const listed = groups.flatMap(({ numbers }) => numbers);
  const missing = [...byNumber.keys()].filter((number) => !listed.includes(number));
  const wrong = listed.filter((number, at) => !byNumber.has(number) || listed.indexOf(number) !== at);
  if (missing.length > 0 || wrong.length > 0)
    throw new Error(
      `.ci/decision-index.mjs: add each decision to one subject. Missing: ${missing.join(', ') || 'none'}; twice or unknown: ${wrong.join(', ') || 'none'}`,
    );
  const line = (number) => {
    const name = byNumber.get(number);
    const [title, , status] = readFileSync(join(folder, name), 'utf8').split('\n');
    return `- [${title.replace(/^# /, '')}](${name}), ${status.replace(/^Status: (.*)\.$/, '$1')}`;
  };
  const sections = groups.map(({ subject, numbers }) => `## ${subject}\n\n${numbers.map(line).join('\n')}\n`);
  return `# Decisions

Why the programs are as they are, with measurements and the ways that were rejected. \`npm run generate\` writes this list; \`.ci/decision-index.mjs\` has
the subjects.

${sections.join('\n')}`;
}
