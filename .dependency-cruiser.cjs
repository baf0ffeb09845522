// The import rules of the service. There are no exceptions: what a rule forbids is moved, not excused.

// The parser that sees type-only imports as well. The visitor that comes with it is older than `using`, which
// declares as `const` does.
const { Visitor } = require('@swc/core/Visitor.js')
const { visitStatement } = Visitor.prototype
Visitor.prototype.visitStatement = function (node) {
  if (node.type !== 'UsingDeclaration') return visitStatement.call(this, node)
  this.visitVariableDeclarators(node.decls)
  return node
}

const entries = [
  '^bin/',
  '^functions/',
  '^packages/',
  '^offline/',
  '^lib/api/client\\.ts$',
  '\\.generate\\.ts$',
]
// What `npm run offline` is made of, and what generates files: it stands around the service and is not part of it.
const offline = ['^offline/', '^resources/']
// The page: what runs in the browser, and what builds it.
const page = '^functions/ui/'
const browser = '^functions/ui/app/'
const domain = '^lib/(?!core/|ports/|adapters/|http/|api/|cli/|composition/|app/)([^/]+)/'
const within = (folders) => `^lib/(?:${folders})/`
const inPackage = (names) => `^(?:node_modules/)?(?:${names})(?:/|$)`
// What a domain sees of http and of other domains.
const shared = [
  '^lib/http/(?:route|observe|guard|trusted-proxies|credential|event-stream)\\.ts$',
  '^lib/[^/]+/schema\\.ts$',
]
// Services that domains are given: they see the types only.
const services = '^lib/(?:feed/feed|limits/limiter)\\.ts$'
// What the page may run of the service: it has no dependency but what is plain itself.
const plain =
  '^lib/(?:api/(?:client|api-error|server-sent-events|task-log)|core/(?:changed-files|controls|cut-text|diff-files|diff-name|first-line-title|fold|found-part|match-place|not-decided|own-output|run-time|session-end|well-formed-json|whole-call)|tasks/machine|memory/words)\\.ts$'
const undeclared = ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'unknown', 'undetermined']

/** Name, who, and what they must not import. */
const rules = [
  ['no-cycles', {}, { circular: true }],
  ['no-orphans', { path: entries }, { path: '^lib/', pathNot: entries, reachable: false }],
  [
    'page-has-no-orphans',
    { path: `${browser}main\\.tsx$` },
    { path: browser, pathNot: `${browser}public/`, reachable: false },
  ],
  [
    'nothing-imports-entries',
    { pathNot: ['^bin/', '^packages/', page, ...offline] },
    { path: '^(?:functions|offline|bin|packages)/' },
  ],
  [
    'core-stands-alone',
    { path: within('core') },
    { pathNot: [within('core'), inPackage('zod|tokenx')], dependencyTypesNot: ['core'] },
  ],
  ['ports-see-core', { path: within('ports') }, { pathNot: within('core|ports') }],
  [
    // Programs and git of this machine are no port: no domain speaks to them.
    'adapters-see-ports',
    { path: '^lib/adapters/([^/]+)/' },
    {
      path: '^lib/',
      pathNot: [within('core|ports|adapters/$1'), '^lib/adapters/node/(?:command|git)\\.ts$'],
    },
  ],
  [
    'only-app-names-adapters',
    { pathNot: ['^(?:lib/(?:adapters|app)/|functions/)', ...offline] },
    { path: within('adapters') },
  ],
  ['http-knows-no-domain', { path: within('http') }, { path: '^lib/', pathNot: within('core|ports|http') }],
  [
    'domains-see-schemas-of-domains',
    { path: domain },
    { path: '^lib/', pathNot: [within('core|ports|turns|$1'), ...shared, services] },
  ],
  [
    'services-are-passed',
    { path: domain, pathNot: services },
    { path: services, dependencyTypesNot: ['type-only'] },
  ],
  ['turns-know-no-presenter', { path: within('turns') }, { path: within('chat|agentic') }],
  // Completions, messages and agentic sessions present turns; no other domain knows of them.
  [
    'turns-have-presenters',
    { path: domain, pathNot: within('turns|chat|agentic') },
    { path: within('turns') },
  ],
  [
    'turns-are-passed',
    { path: within('chat|agentic') },
    { path: within('turns'), pathNot: shared, dependencyTypesNot: ['type-only'] },
  ],
  // The command line is a client as any other: it has no more of the service than the network shows, and identities.
  [
    'cli-is-a-client',
    { path: within('cli') },
    {
      path: '^lib/',
      pathNot: [within('cli|api|core'), ...shared, '^lib/(?:devices/|tasks/machine|version)'],
    },
  ],
  ['nothing-imports-cli', { pathNot: ['^bin/', within('cli')] }, { path: within('cli') }],
  ['ai-sdk-stays-in-models', { pathNot: within('adapters/models') }, { path: inPackage('ai|@ai-sdk/[^/]+') }],
  [
    'aws-sdk-stays-in-aws',
    { pathNot: [within('adapters/aws'), ...offline] },
    { path: inPackage('@aws-sdk/[^/]+|@smithy/[^/]+') },
  ],
  ['sqlite-stays-in-sqlite', { pathNot: within('adapters/sqlite') }, { path: '^(?:node:)?sqlite$' }],
  [
    'page-stays-in-the-browser',
    { path: browser },
    { path: '^(?:functions/(?!ui/app/)|lib/(?:adapters|app)/|offline/|bin/|resources/|test/)' },
  ],
  ['page-has-no-node', { path: browser }, { dependencyTypes: ['core'] }],
  [
    'page-sees-types-of-the-service',
    // What is evaluated while the page is built may import any table of the service.
    { path: browser, pathNot: '^functions/ui/app/data/at-build\\.ts$' },
    { path: ['^lib/', inPackage('zod')], pathNot: plain, dependencyTypesNot: ['type-only'] },
  ],
  [
    'views-stand-apart',
    { path: `${browser}views/([^/]+)/` },
    { path: `${browser}views/`, pathNot: `${browser}views/$1/` },
  ],
  ['views-are-on-top', { path: `${browser}(?:components|data)/` }, { path: `${browser}(?:views|create)/` }],
  [
    'react-stays-in-the-page',
    { pathNot: page },
    { path: inPackage('react|react-dom|@base-ui/[^/]+|@tanstack/[^/]+') },
  ],
  // What the page is made of goes into its bundle, and is not there when the service runs.
  ['packages-are-declared', { pathNot: [page, '^packages/', ...offline] }, { dependencyTypes: undeclared }],
  ['imports-resolve', {}, { couldNotResolve: true }],
]

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: rules.map(([name, from, to]) => ({ name, severity: 'error', from, to })),
  options: {
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(?:functions/ui|packages/[^/]+)/(?:dist|examples)/' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['node', 'import', 'types', 'default'],
    },
  },
}
