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

const entries = ['^bin/', '^functions/', '^lib/api/client\\.ts$', '\\.generate\\.ts$']
const domain = '^lib/(?!core/|ports/|adapters/|http/|api/|app/)([^/]+)/'
const inPackage = (names) => `^(?:node_modules/)?(?:${names})(?:/|$)`

const forbid = (name, from, to) => ({ name, severity: 'error', from, to })

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    forbid('no-cycles', {}, { circular: true }),
    forbid('nothing-imports-entries', { pathNot: '^bin/' }, { path: '^(?:functions|bin)/' }),
    forbid(
      'core-stands-alone',
      { path: '^lib/core/' },
      {
        pathNot: ['^lib/core/', inPackage('zod')],
        dependencyTypesNot: ['core'],
      },
    ),
    forbid('ports-see-core', { path: '^lib/ports/' }, { pathNot: '^lib/(?:core|ports)/' }),
    forbid(
      'adapters-see-ports',
      { path: '^lib/adapters/([^/]+)/' },
      {
        path: '^lib/',
        pathNot: '^lib/(?:core|ports|adapters/$1)/',
      },
    ),
    forbid(
      'only-app-names-adapters',
      { pathNot: '^(?:lib/adapters/|lib/app(?:/|\\.ts$)|functions/|test/)' },
      {
        path: '^lib/adapters/',
      },
    ),
    forbid(
      'http-knows-no-domain',
      { path: '^lib/http/' },
      {
        path: '^lib/',
        pathNot: '^lib/(?:core|ports|http)/',
      },
    ),
    forbid(
      'domains-see-schemas-of-domains',
      { path: domain },
      {
        path: '^lib/',
        pathNot: ['^lib/(?:core|ports|$1)/', '^lib/http/(?:route|observe)\\.ts$', '^lib/[^/]+/schema\\.ts$'],
      },
    ),
    forbid(
      'ai-sdk-stays-in-models',
      { pathNot: '^lib/adapters/models/' },
      {
        path: inPackage('ai|@ai-sdk/[^/]+'),
      },
    ),
    forbid(
      'aws-sdk-stays-in-aws',
      { pathNot: '^lib/adapters/aws/' },
      {
        path: inPackage('@aws-sdk/[^/]+|@smithy/[^/]+|aws-sdk'),
      },
    ),
    forbid('sqlite-stays-in-sqlite', { pathNot: '^lib/adapters/sqlite/' }, { path: '^(?:node:)?sqlite$' }),
    forbid(
      'packages-are-declared',
      {},
      {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'unknown', 'undetermined'],
      },
    ),
    forbid('imports-resolve', {}, { couldNotResolve: true }),
    forbid('no-orphans', { path: entries }, { path: '^lib/', pathNot: entries, reachable: false }),
  ],
  options: {
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['node', 'import', 'types', 'default'],
    },
  },
}
