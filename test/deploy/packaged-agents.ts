import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { httpEvent } from '../fakes/http-event.ts'
import type { startCloud } from './cloud.ts'
import { HTTP_FUNCTIONS, JOB_FUNCTIONS } from './function-names.ts'
import type { packageStage } from './serverless.ts'
import { ofType } from './template.ts'
import { unzipFiles } from './zip.ts'

const run = promisify(execFile)
/** The agent, a file that it imports, and a package that was installed beside it. */
const FILES = {
  'word-count.js': `import { NAME } from './parts/name.js'
    export default { type: 'word-count', name: NAME, description: '', capabilities: [],
      healthCheck: async () => ({ healthy: true }), execute: async () => ({ success: true, output: '' }) }`,
  'parts/name.js': `export { NAME } from 'named'`,
  'node_modules/named/index.js': `exports.NAME = 'Word count'`,
} as const

const write = (file: string, content: string | Buffer) => {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, content)
}

/** An agent of one's own, deployed as docs/guide/agents.md says. */
export const addAgent = (folder: string) => {
  for (const [name, text] of Object.entries(FILES)) write(path.join(folder, 'agents', name), text)
  const file = path.join(folder, 'serverless.yml')
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.replace(/^ {2}environment:\n/m, '$&    AGENT_ADAPTERS: ./agents/word-count.js\n'))
}

type Answer = { statusCode: number; body: string }

/** `worker` is an image; the page and the stream function know no agents. */
const WITHOUT_AGENTS = ['worker', 'ui', 'stream']
const ZIPPED = [...HTTP_FUNCTIONS, ...JOB_FUNCTIONS].filter((name) => !WITHOUT_AGENTS.includes(name))

type Cloud = Awaited<ReturnType<typeof startCloud>>
type Packaged = { stage: () => ReturnType<typeof packageStage>; cloud: () => Cloud }

/** Tests of a package to which `addAgent` added an agent. */
export const agentsInPackage = ({ stage, cloud }: Packaged): void => {
  let environment: Awaited<ReturnType<Cloud['openEnvironment']>>
  let folder: string
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'task-'))
    environment = await cloud().openEnvironment()
  })
  afterAll(() => {
    rmSync(folder, { recursive: true })
    environment?.stop()
  })

  /** Unpacks the zip of a function, as Lambda does before it starts Node in that folder. */
  const unpack = (name: string): string => {
    const place = path.join(folder, name)
    for (const [file, content] of unzipFiles(stage().zip(name))) write(path.join(place, file), content)
    return place
  }

  /** The variable as the function of that name is deployed with it. */
  const namedFor = (name: string): string => {
    const isIt = ([logical]: readonly [string, unknown]) => logical.toLowerCase() === `${name}lambdafunction`
    const [, resource] = ofType(stage().template, 'AWS::Lambda::Function').find(isIt) ?? []
    return String(resource?.Properties.Environment.Variables.AGENT_ADAPTERS)
  }

  /** Has a function, alone in a process and on a disk of its own, answer a request; answers also what it logged. */
  const ask = async (name: string, request: string, body?: unknown, AGENT_ADAPTERS = namedFor(name)) => {
    const code = `const { handler } = await import(process.cwd() + '/functions/${name}.mjs')
    const answer = await handler(${JSON.stringify(httpEvent(request, body))}, {})
    process.stdout.write('\\n' + JSON.stringify(answer), () => process.exit(0))`
    const env = { PATH: process.env.PATH, ...environment.env, AUTH_MODE: 'local', AGENT_ADAPTERS }
    // The folder itself says what kind of modules it has; nothing is left to what Node would guess.
    const args = ['--no-experimental-detect-module', '--input-type=module', '--eval', code]
    const { stdout } = await run(process.execPath, args, { cwd: unpack(name), env })
    const [last = '', ...lines] = stdout.split('\n').toReversed()
    return { ...(JSON.parse(last) as Answer), log: lines.join('\n') }
  }

  it.each(ZIPPED)('goes into the zip of %s with what it imports, under its own name', (name) => {
    const files = [...unzipFiles(stage().zip(name)).keys()]
    for (const file of Object.keys(FILES)) expect(files).toContain(`agents/${file}`)
  })

  it('is one of those that functions know which have nothing but their zips', async () => {
    const { statusCode, body } = await ask('agents', 'GET /api/agents')
    expect(statusCode).toBe(200)
    const { agents } = JSON.parse(body)
    // Between them are the programs, which functions do not run.
    expect(agents.at(0)).toMatchObject({ type: 'coding-agent' })
    expect(agents.at(-1)).toMatchObject({ type: 'word-count', name: 'Word count' })
    const task = { title: 'Count', prompt: 'one two', assignedAgent: 'word-count' }
    expect(await ask('tasks', 'POST /api/tasks', task)).toMatchObject({ statusCode: 201, log: '' })
  })

  it('that is not there is the service’s fault: the log says which it is, callers are not told', async () => {
    const { statusCode, body, log } = await ask('agents', 'GET /api/agents', undefined, './agents/nowhere.js')
    expect(statusCode).toBe(500)
    expect(JSON.parse(body)).toMatchObject({ code: 'internal_error', requestId: expect.any(String) })
    expect(body).not.toContain('nowhere')
    expect(log).toMatch(/"level":"error".*AGENT_ADAPTERS: \.\/agents\/nowhere\.js/)
  })
}
