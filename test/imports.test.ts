import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'

const root = join(import.meta.dirname, '..')
const config = join(root, '.dependency-cruiser.cjs')

/** A tree in which every rule is broken once, and files that break none. */
const planted: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({ name: 'planted', type: 'module', dependencies: { ai: '1', zod: '1' } }),
  'node_modules/ai/package.json': '{"name":"ai","version":"1.0.0","main":"index.js"}',
  'node_modules/ai/index.js': '',
  'node_modules/zod/package.json': '{"name":"zod","version":"1.0.0","main":"index.js"}',
  'node_modules/zod/index.js': '',
  'node_modules/@aws-sdk/client-s3/package.json': '{"name":"@aws-sdk/client-s3","main":"index.js"}',
  'node_modules/@aws-sdk/client-s3/index.js': '',
  'bin/start.js': `import '../functions/local.ts'`,
  'functions/local.ts': `import '../lib/app/local.ts'; import '../lib/tasks/cycle.ts'`,
  'node_modules/react/package.json': '{"name":"react","version":"1.0.0","main":"index.js"}',
  'node_modules/react/index.js': '',
  'functions/ui/handler.ts': `import '../../lib/app/local.ts'`,
  'functions/ui/app/main.tsx': `import 'react'; import './views/one/one.tsx'; import type { Task } from '../../../lib/tasks/schema.ts'`,
  'functions/ui/app/data/at-build.ts': `import '../../../../lib/tasks/schema.ts'`,
  'functions/ui/app/data/tasks.ts': `import '../views/two/two.tsx'; import '../../../../lib/tasks/machine.ts'`,
  'functions/ui/app/views/one/one.tsx': [
    `import '../two/two.tsx'; import 'node:path'; import '../../../handler.ts'; import '../../data/at-build.ts'`,
    `import '../../../../../lib/tasks/schema.ts'`,
  ].join('\n'),
  'functions/ui/app/views/two/two.tsx': `export const Two = () => <p />`,
  'lib/tasks/machine.ts': '',
  'lib/app/local.ts': [
    `import '../adapters/memory/queue.ts'; import '../tasks/service.ts'; import '../http/host.ts'`,
    `import '../core/outside.ts'; import '../core/alone.ts'; import '../ports/wide.ts'; import './data.ts'; import '../chat/send.ts'`,
  ].join('\n'),
  'bin/agent-tasks.js': `import '../lib/cli/main.ts'`,
  'lib/cli/main.ts': `import '../tasks/service.ts'; import '../tasks/machine.ts'`,
  'lib/composition/tasks.ts': `import '../cli/main.ts'`,
  'lib/app/data.ts': `import '../adapters/sqlite/store.ts'`,
  'lib/core/alone.ts': `import 'zod'; import 'node:crypto'; await using file = await import('./outside.ts')`,
  'lib/core/outside.ts': `import type { Queue } from '../ports/queue.ts'`,
  'lib/ports/queue.ts': `export type Queue = {}`,
  'lib/ports/wide.ts': `import type { Task } from '../tasks/schema.ts'`,
  'lib/adapters/sqlite/store.ts': `import 'node:sqlite'`,
  'lib/adapters/memory/queue.ts': `import '../sqlite/store.ts'`,
  'lib/http/route.ts': '',
  'lib/http/host.ts': `import '../tasks/schema.ts'`,
  'lib/tasks/schema.ts': 'export type Task = {}',
  'lib/tasks/service.ts': [
    `import '../queue/service.ts'; import '../queue/schema.ts'; import '../http/route.ts'`,
    `import type { Store } from '../adapters/sqlite/store.ts'; import '../../functions/local.ts'`,
    `import 'ai'; import '@aws-sdk/client-s3'; import 'node:sqlite'; import './nowhere.ts'; import 'react'`,
  ].join('\n'),
  'lib/tasks/cycle.ts': `import type { Back } from './cycle-back.ts'; export type There = {}`,
  'lib/tasks/cycle-back.ts': `import type { There } from './cycle.ts'; export type Back = {}`,
  'lib/queue/read.ts': `import '../limits/limiter.ts'; import type { Run } from '../turns/run.ts'`,
  'lib/chat/send.ts': `import type { Run } from '../turns/run.ts'; import '../turns/leases.ts'`,
  'lib/turns/run.ts': 'export type Run = {}',
  'lib/turns/leases.ts': `import '../agentic/schema.ts'`,
  'lib/agentic/schema.ts': '',
  'lib/limits/limiter.ts': '',
  'lib/queue/schema.ts': '',
  'lib/queue/service.ts': `import './read.ts'`,
  'lib/queue/forgotten.ts': `import './schema.ts'`,
}

type Violation = { rule: { name: string }; from: string; to: string }
const tree = mkdtempSync(join(tmpdir(), 'imports-'))
let violations: string[] = []

beforeAll(() => {
  for (const [name, text] of Object.entries(planted)) {
    mkdirSync(dirname(join(tree, name)), { recursive: true })
    writeFileSync(join(tree, name), text)
  }
  const cruise = join(root, 'node_modules/.bin/depcruise')
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [cruise, '--config', config, '--output-type', 'json', 'lib', 'functions', 'bin'],
    { cwd: tree, encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '' } },
  )
  if (stderr) throw new Error(stderr)
  const { summary } = JSON.parse(stdout) as { summary: { violations: Violation[] } }
  violations = summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} > ${to}`)
})
afterAll(() => rmSync(tree, { recursive: true }))

describe('the import rules', () => {
  it.each([
    'no-cycles: lib/tasks/cycle-back.ts > lib/tasks/cycle.ts',
    'no-orphans: lib/queue/forgotten.ts > lib/queue/forgotten.ts',
    'page-has-no-orphans: functions/ui/app/data/tasks.ts > functions/ui/app/data/tasks.ts',
    'nothing-imports-entries: lib/tasks/service.ts > functions/local.ts',
    'core-stands-alone: lib/core/outside.ts > lib/ports/queue.ts',
    'ports-see-core: lib/ports/wide.ts > lib/tasks/schema.ts',
    'adapters-see-ports: lib/adapters/memory/queue.ts > lib/adapters/sqlite/store.ts',
    'only-app-names-adapters: lib/tasks/service.ts > lib/adapters/sqlite/store.ts',
    'http-knows-no-domain: lib/http/host.ts > lib/tasks/schema.ts',
    'domains-see-schemas-of-domains: lib/tasks/service.ts > lib/queue/service.ts',
    'services-are-passed: lib/queue/read.ts > lib/limits/limiter.ts',
    'turns-know-no-presenter: lib/turns/leases.ts > lib/agentic/schema.ts',
    'turns-have-presenters: lib/queue/read.ts > lib/turns/run.ts',
    'turns-are-passed: lib/chat/send.ts > lib/turns/leases.ts',
    'ai-sdk-stays-in-models: lib/tasks/service.ts > node_modules/ai/index.js',
    'aws-sdk-stays-in-aws: lib/tasks/service.ts > node_modules/@aws-sdk/client-s3/index.js',
    'sqlite-stays-in-sqlite: lib/tasks/service.ts > node:sqlite',
    'cli-is-a-client: lib/cli/main.ts > lib/tasks/service.ts',
    'nothing-imports-cli: lib/composition/tasks.ts > lib/cli/main.ts',
    'packages-are-declared: lib/tasks/service.ts > node_modules/@aws-sdk/client-s3/index.js',
    'imports-resolve: lib/tasks/service.ts > ./nowhere.ts',
    'page-stays-in-the-browser: functions/ui/app/views/one/one.tsx > functions/ui/handler.ts',
    'page-has-no-node: functions/ui/app/views/one/one.tsx > path',
    'page-sees-types-of-the-service: functions/ui/app/views/one/one.tsx > lib/tasks/schema.ts',
    'views-stand-apart: functions/ui/app/views/one/one.tsx > functions/ui/app/views/two/two.tsx',
    'views-are-on-top: functions/ui/app/data/tasks.ts > functions/ui/app/views/two/two.tsx',
    'react-stays-in-the-page: lib/tasks/service.ts > node_modules/react/index.js',
  ])('report %s', (violation) => {
    expect(violations).toContain(violation)
  })

  it('each fire on what was planted', () => {
    const { forbidden } = createRequire(import.meta.url)(config) as { forbidden: { name: string }[] }
    const fired = new Set(violations.map((violation) => violation.split(':')[0]))
    expect(forbidden.map(({ name }) => name).filter((name) => !fired.has(name))).toEqual([])
  })

  it('let through what they should', () => {
    const innocent = [
      ...[
        'functions/ui/app/main.tsx',
        'functions/ui/app/data/at-build.ts',
        'functions/ui/app/views/two/two.tsx',
      ],
      ...['lib/core/alone.ts', 'lib/app/data.ts', 'bin/start.js', 'lib/adapters/sqlite/store.ts'],
    ]
    expect(violations.filter((text) => innocent.some((name) => text.includes(`: ${name} >`)))).toEqual([])
    expect(violations.filter((text) => /> lib\/(?:http\/route|queue\/schema)\.ts/.test(text))).toEqual([])
  })
})
