import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { callSnippet } from '../../functions/ui/app/views/docs/snippets.ts'
import { routes } from '../../lib/api/routes.ts'
import { VERSION } from '../../lib/version.ts'
import { exampleCall } from '../api/example-call.ts'
import { root, type Service, serviceNode, startService, temporaryFolder } from '../journeys/service.ts'

const NAME = 'agent-task-client'
const folder = temporaryFolder()
const installed = folder.in('program/node_modules', NAME)
const program = (name: string) => folder.in('program', name)
let service: Service

/** Nothing of this comes from a network: the package has no dependencies. */
const npm = (cwd: string, ...args: string[]) =>
  execFileSync(
    'npm',
    [...args, '--offline', '--no-audit', '--no-fund', '--silent', '--update-notifier=false'],
    {
      cwd,
      env: { PATH: process.env.PATH, HOME: folder.path },
      encoding: 'utf8',
    },
  )

const run = (file: string, ...args: string[]) =>
  execFileSync(serviceNode, [program(file), ...args], {
    cwd: folder.in('program'),
    env: { AGENT_TASKS_URL: service.baseUrl },
    encoding: 'utf8',
  })

beforeAll(async () => {
  mkdirSync(folder.in('program'))
  npm(path.join(root, 'packages/client'), 'pack', '--pack-destination', folder.path)
  writeFileSync(program('package.json'), '{"name":"program","private":true,"type":"module"}')
  npm(folder.in('program'), 'install', folder.in(`${NAME}-${VERSION}.tgz`))
  service = await startService({ env: { DATA_DIR: folder.in('data') } })
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

/** What a user of the package writes. The types refuse what is marked. */
const PROGRAM = `
import { ApiError, connect, eventsIn } from '${NAME}'

const client = connect({ baseUrl: process.env.AGENT_TASKS_URL ?? '' })
const live = await client.followEvents.raw()
const { task } = await client.createTask({ body: { title: 'Packed', prompt: 'Write', labels: ['packed'] } })
const statuses: string[] = []
if (live.body)
  for await (const events of eventsIn(live.body)) {
    for (const { data } of events) {
      const { type, data: row } = JSON.parse(data)
      if (type.startsWith('task.') && row.id === task.id) statuses.push(row.status)
    }
    if (statuses.includes('completed')) break
  }
const { tasks, total } = await client.filterTasks({ query: { labels: ['packed'], status: 'completed', limit: 5 } })
const refused: unknown = await client.getTask({ params: { id: 'none' } }).catch((error: unknown) => error)
console.log(JSON.stringify({
  total, same: tasks[0]?.id === task.id, output: typeof tasks[0]?.result?.output,
  code: refused instanceof ApiError ? refused.code : refused,
}))

export const wrong = () => {
  // @ts-expect-error a title is required
  void client.createTask({ body: { prompt: 'x' } })
  // @ts-expect-error there is no priority 9
  void client.createTask({ body: { title: 'x', priority: 9 } })
  // @ts-expect-error the path has a parameter
  void client.getTask()
  // @ts-expect-error there is no such operation
  void client.doTask()
}
`

const options = {
  module: 'nodenext',
  target: 'es2022',
  lib: ['es2023'],
  strict: true,
  noEmit: true,
  types: ['node'],
  typeRoots: [path.join(root, 'node_modules/@types')],
}

/** What the compiler has to say of the files of the program that a pattern names. */
const complaints = (pattern: string): string => {
  writeFileSync(program('tsconfig.json'), JSON.stringify({ compilerOptions: options, include: [pattern] }))
  const tsc = path.join(root, 'node_modules/.bin/tsc')
  return spawnSync(serviceNode, [tsc, '-p', program('tsconfig.json')], { encoding: 'utf8' }).stdout
}

describe('the package of the client', () => {
  it('has the module, its declarations, a README and examples, and no dependency', () => {
    const files = globSync('**/*', { cwd: installed, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(installed, path.join(entry.parentPath, entry.name)))
    expect(files.sort()).toEqual([
      'README.md',
      'dist/index.d.ts',
      'dist/index.js',
      'examples/first-task.ts',
      'examples/live-events.ts',
      'package.json',
    ])
    const { version, dependencies } = JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8'))
    expect({ version, dependencies }).toEqual({ version: VERSION, dependencies: undefined })
    expect(readFileSync(path.join(installed, 'dist/index.js'), 'utf8')).not.toMatch(/^import |require\(/m)
  })

  it('declares a method for each operation', () => {
    const declared = readFileSync(path.join(installed, 'dist/index.d.ts'), 'utf8')
    const missing = Object.keys(routes).filter((name) => !declared.includes(`  ${name}: Call<`))
    expect(missing).toEqual([])
  })

  it('is what a program needs: its types fit and refuse, its calls and streams work', () => {
    writeFileSync(program('main.ts'), PROGRAM)
    const examples = globSync('examples/*.ts', { cwd: installed })
    for (const name of examples) copyFileSync(path.join(installed, name), program(path.basename(name)))
    expect(complaints('*.ts')).toBe('')
    expect(JSON.parse(run('main.ts'))).toEqual({
      total: 1,
      same: true,
      output: 'string',
      code: 'task_not_found',
    })
    expect(run('first-task.ts', 'Write a note')).toMatch(/^completed: This is the scripted demo model/)
  })

  it('takes every call that the docs show in TypeScript', () => {
    mkdirSync(program('docs'))
    for (const name of Object.keys(routes))
      writeFileSync(
        program(`docs/${name}.ts`),
        callSnippet('typescript', exampleCall(name), 'http://127.0.0.1:3000'),
      )
    expect(complaints('docs/*.ts')).toBe('')
  })
})
